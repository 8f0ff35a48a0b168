// Mesh files; a loader is fetched when the first file of its format is.
import { Group, Mesh, Vector3, Box3, type Material, type Object3D } from "three";
import type { Shape } from "./document";

type MeshShape = Extract<Shape, { type: "mesh" }>;

async function read(url: string, format: string): Promise<Object3D> {
  switch (format) {
    case "obj": {
      const { OBJLoader } = await import("three/examples/jsm/loaders/OBJLoader.js");
      return new OBJLoader().loadAsync(url);
    }
    case "stl": {
      const { STLLoader } = await import("three/examples/jsm/loaders/STLLoader.js");
      return new Mesh(await new STLLoader().loadAsync(url));
    }
    case "dae": {
      const { ColladaLoader } = await import("three/examples/jsm/loaders/ColladaLoader.js");
      const read = await new ColladaLoader().loadAsync(url);
      if (!read) throw new Error("empty");
      // The loader turns files with z up to y up; here z stays up.
      read.scene.quaternion.identity();
      return read.scene;
    }
    case "glb":
    case "gltf": {
      const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
      return (await new GLTFLoader().loadAsync(url)).scene;
    }
    default:
      throw new Error(`meshes of format ${format} are not shown`);
  }
}

/** Reads each file once. */
export class Meshes {
  private readonly files = new Map<string, Promise<Object3D>>();

  /** The mesh with `material`, or with its own where that is null. */
  async of(shape: MeshShape, material: Material | null): Promise<Object3D> {
    const file = this.files.get(shape.url) ?? read(shape.url, shape.format);
    this.files.set(shape.url, file);
    const whole = (await file).clone(true);
    const part = shape.submesh ? whole.getObjectByName(shape.submesh) : whole;
    if (!part) throw new Error(`${shape.url} has no part ${shape.submesh}`);
    const group = new Group();
    group.add(part);
    if (shape.submesh && shape.center_submesh) {
      part.position.sub(new Box3().setFromObject(part).getCenter(new Vector3()));
    }
    group.scale.set(...shape.scale);
    if (material) {
      group.traverse((node) => {
        if (node instanceof Mesh) node.material = material;
      });
    }
    return group;
  }
}
