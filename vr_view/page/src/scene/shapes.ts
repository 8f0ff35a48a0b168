// Geometries of the document's plain shapes, in ROS axes (cylinders stand along z).
import {
  BoxGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
  type BufferGeometry,
} from "three";
import type { Shape } from "./document";

const ROUND = 32; // segments of a circle
const MOST_PARTS = 64;
const UP = new Vector3(0, 0, 1);

/** Parts of a side so that none is longer than `cell` (m; infinite: one part). */
function parts(side: number, cell: number): number {
  return Math.min(Math.max(Math.ceil(side / cell), 1), MOST_PARTS);
}

/**
 * The geometry; null for meshes, which are read from files. Boxes and planes are cut into cells of
 * that size where it is given.
 */
export function geometryOf(shape: Shape, cell = Infinity): BufferGeometry | null {
  switch (shape.type) {
    case "box": {
      const [x, y, z] = shape.size;
      return new BoxGeometry(x, y, z, parts(x, cell), parts(y, cell), parts(z, cell));
    }
    case "cylinder":
      return new CylinderGeometry(shape.radius, shape.radius, shape.length, ROUND).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(shape.radius, shape.length, 8, ROUND).rotateX(Math.PI / 2);
    case "sphere":
      return new SphereGeometry(shape.radius, ROUND, ROUND / 2).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new SphereGeometry(1, ROUND, ROUND / 2).rotateX(Math.PI / 2).scale(...shape.radii);
    case "plane": {
      const turn = new Quaternion().setFromUnitVectors(UP, new Vector3(...shape.normal).normalize());
      const [x, y] = shape.size;
      return new PlaneGeometry(x, y, parts(x, cell), parts(y, cell)).applyQuaternion(turn);
    }
    case "mesh":
      return null;
  }
}
