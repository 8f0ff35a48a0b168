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

const FLATTENED = 5e-4; // m by which a chord may be inside its circle
const [LEAST_ROUND, MOST_ROUND] = [12, 32]; // segments of a circle
const MOST_PARTS = 64;
const UP = new Vector3(0, 0, 1);

/** Parts of a side so that none is longer than `cell` (m; infinite: one part). */
function parts(side: number, cell: number): number {
  return Math.min(Math.max(Math.ceil(side / cell), 1), MOST_PARTS);
}

/** Segments of a circle, a multiple of 4: triangles too small to tell apart still cost. */
export function round(radius: number): number {
  const needed = Math.PI / Math.acos(Math.max(1 - FLATTENED / radius, -1));
  return Math.min(Math.max(4 * Math.ceil(needed / 4), LEAST_ROUND), MOST_ROUND);
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
    case "cylinder": {
      const { radius, length } = shape;
      return new CylinderGeometry(radius, radius, length, round(radius)).rotateX(Math.PI / 2);
    }
    case "capsule": {
      const segments = round(shape.radius);
      return new CapsuleGeometry(shape.radius, shape.length, segments / 4, segments).rotateX(Math.PI / 2);
    }
    case "sphere":
      return ball(shape.radius).rotateX(Math.PI / 2);
    case "ellipsoid": {
      const largest = Math.max(...shape.radii);
      const unit = ball(largest).rotateX(Math.PI / 2).scale(1 / largest, 1 / largest, 1 / largest);
      return unit.scale(...shape.radii);
    }
    case "plane": {
      const turn = new Quaternion().setFromUnitVectors(UP, new Vector3(...shape.normal).normalize());
      const [x, y] = shape.size;
      return new PlaneGeometry(x, y, parts(x, cell), parts(y, cell)).applyQuaternion(turn);
    }
    case "mesh":
      return null;
  }
}

function ball(radius: number): SphereGeometry {
  const segments = round(radius);
  return new SphereGeometry(radius, segments, segments / 2);
}
