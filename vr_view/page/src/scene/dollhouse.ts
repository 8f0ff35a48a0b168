// From outside a room, the walls in between are not drawn.
import { Box3, Mesh, Vector3, type Camera, type Group, type Object3D } from "three";
import type { SceneDocument } from "./document";

const LEAST_HEIGHT = 1.0; // m of a wall
const MOST_THICKNESS = 0.4;

interface Wall {
  object: Object3D;
  centre: Vector3;
  inwards: Vector3;
}

export class Dollhouse {
  private readonly walls: Wall[] = [];

  /** Walls are upright thin boxes of static models; `root` holds them, in Y-up axes when drawn. */
  constructor(document: SceneDocument, root: Group) {
    root.updateWorldMatrix(true, true);
    const fixed = document.models.filter((model) => model.static).map((model) => model.name);
    const boxes: { object: Object3D; box: Box3 }[] = [];
    root.traverse((node) => {
      const model = node.parent?.parent?.name.split("/")[0];
      if (!(node instanceof Mesh) || !model || !fixed.includes(model)) return;
      boxes.push({ object: node, box: new Box3().setFromObject(node) });
    });
    const middle = boxes
      .reduce((all, { box }) => all.union(box), new Box3())
      .getCenter(new Vector3());
    for (const { object, box } of boxes) {
      const size = box.getSize(new Vector3());
      const thickness = Math.min(size.x, size.z);
      if (size.y < LEAST_HEIGHT || thickness > MOST_THICKNESS) continue;
      if (Math.max(size.x, size.z) < LEAST_HEIGHT) continue;
      const centre = box.getCenter(new Vector3());
      const inwards = new Vector3(size.x < size.z ? 1 : 0, 0, size.x < size.z ? 0 : 1);
      if (inwards.dot(middle.clone().sub(centre)) < 0) inwards.negate();
      this.walls.push({ object, centre, inwards });
    }
  }

  /** What may be hidden. */
  get objects(): Set<Object3D> {
    return new Set(this.walls.map(({ object }) => object));
  }

  /** Hide the walls that `camera` looks at from outside. */
  hideFor(camera: Camera): void {
    for (const { object, centre, inwards } of this.walls) {
      object.visible = inwards.dot(camera.position.clone().sub(centre)) > 0;
    }
  }

  showAll(): void {
    for (const { object } of this.walls) object.visible = true;
  }
}
