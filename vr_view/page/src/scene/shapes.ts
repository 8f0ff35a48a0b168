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
const UP = new Vector3(0, 0, 1);

/** The geometry; null for meshes, which are read from files. */
export function geometryOf(shape: Shape): BufferGeometry | null {
  switch (shape.type) {
    case "box":
      return new BoxGeometry(...shape.size);
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
      return new PlaneGeometry(...shape.size).applyQuaternion(turn);
    }
    case "mesh":
      return null;
  }
}
