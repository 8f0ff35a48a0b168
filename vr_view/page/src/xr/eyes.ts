// What an eye sees, out of its projection matrix.
import type { Eye } from "../link/protocol";
import { invert, compose, type Pose } from "../core/pose";

/** Tangents of the half angles [left, right, up, down] of a projection (16 numbers by columns). */
export function tangentsOf(projection: ArrayLike<number>): [number, number, number, number] {
  const [across, up] = [projection[0]!, projection[5]!];
  const [right, top] = [projection[8]!, projection[9]!];
  return [(1 - right) / across, (1 + right) / across, (1 + top) / up, (1 - top) / up];
}

export function eyeOf(view: XRView, viewport: { width: number; height: number }): Eye {
  return {
    tangents: tangentsOf(view.projectionMatrix),
    size: [Math.max(1, viewport.width), Math.max(1, viewport.height)],
  };
}

/** Metres between two poses. */
export function distanceOf(left: Pose, right: Pose): number {
  const [x, y, z] = compose(invert(left), right);
  return Math.hypot(x, y, z);
}
