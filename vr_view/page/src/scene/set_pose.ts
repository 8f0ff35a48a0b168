// From a pose to an object of three.js: same axes, since all that is ROS hangs below one turned root.
import type { Object3D } from "three";
import type { Pose } from "../core/pose";

export function setPose(object: Object3D, pose: Pose): void {
  object.position.set(pose[0], pose[1], pose[2]);
  object.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
}
