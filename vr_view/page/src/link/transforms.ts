// tf and odometry from the socket into the tree of frames.
import { poseOf } from "../core/pose";
import type { TfTree } from "../core/tf_tree";
import type { Topics } from "./topics";

export function takeTransforms(topics: Topics, tf: TfTree): void {
  topics.on("tf", ({ transforms }) => {
    for (const [parent, child, , x, y, z, qx, qy, qz, qw] of transforms) {
      tf.set(parent, child, poseOf([x, y, z], [qx, qy, qz, qw]));
    }
  });
  topics.on("odometry", ({ topic, frame, child, pose }) => {
    // Wheel odometry drifts in a frame of its own, and tf has it; the truth stands in for tf.
    if (topic.startsWith("/reference/")) tf.setOdometry(frame, child, pose);
  });
}
