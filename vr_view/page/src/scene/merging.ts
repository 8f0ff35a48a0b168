// Surfaces that look alike and move together as one mesh: each draw costs more than its triangles.
import { BufferAttribute, Matrix4, Mesh, type BufferGeometry, type Object3D } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Materials } from "./materials";

/** What moves as one: `target` takes the merged meshes in place of those below `sources`. */
export interface Rigid {
  target: Object3D;
  sources: Object3D[];
}

/** Merge what may be; `kept` stays as it is. World matrices must be up to date. */
export function mergeAlike({ target, sources }: Rigid, materials: Materials, kept: ReadonlySet<Object3D>): void {
  const alike = new Map<string, Mesh[]>();
  for (const source of sources) {
    source.traverse((node) => {
      if (!(node instanceof Mesh) || kept.has(node) || !isPlain(node)) return;
      const kind = materials.kindOf(node.material);
      if (kind !== null) alike.set(kind, [...(alike.get(kind) ?? []), node]);
    });
  }
  const targetFromWorld = target.matrixWorld.clone().invert();
  for (const [kind, meshes] of alike) {
    if (meshes.length < 2) continue;
    const parts = meshes.map((mesh) => partOf(mesh, targetFromWorld, materials));
    target.add(new Mesh(mergeGeometries(parts), materials.ofKind(kind)));
    for (const mesh of meshes) mesh.removeFromParent();
    for (const geometry of [...parts, ...meshes.map((mesh) => mesh.geometry)]) geometry.dispose();
  }
}

function isPlain({ geometry, matrixWorld }: Mesh): boolean {
  const hasShape = geometry.hasAttribute("position") && geometry.hasAttribute("normal");
  const isMirrored = matrixWorld.determinant() < 0;
  return hasShape && !isMirrored && Object.keys(geometry.morphAttributes).length === 0;
}

/** A mesh's geometry in the target's axes, with nothing but places, normals and colours. */
function partOf(mesh: Mesh, targetFromWorld: Matrix4, materials: Materials): BufferGeometry {
  const { geometry, material, matrixWorld } = mesh;
  const part = geometry.clone();
  // All or none may have an index.
  if (!part.index) part.setIndex([...Array(part.getAttribute("position").count).keys()]);
  for (const name of Object.keys(part.attributes)) {
    if (!["position", "normal", "color"].includes(name)) part.deleteAttribute(name);
  }
  const shade = materials.shadeOf(material);
  if (shade) {
    const count = part.getAttribute("position").count;
    const colours = Float32Array.from({ length: 3 * count }, (_, k) => shade[k % 3]!);
    part.setAttribute("color", new BufferAttribute(colours, 3));
  }
  part.clearGroups();
  return part.applyMatrix4(targetFromWorld.clone().multiply(matrixWorld));
}
