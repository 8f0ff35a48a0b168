// Rigid poses as [x, y, z, qx, qy, qz, qw], read `a_from_b`. Plain numbers: no three.js here.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number];
export type Pose = [number, number, number, number, number, number, number];

export const IDENTITY: Pose = [0, 0, 0, 0, 0, 0, 1];

export function position(pose: Pose): Vector {
  return [pose[0], pose[1], pose[2]];
}

export function rotation(pose: Pose): Quaternion {
  return [pose[3], pose[4], pose[5], pose[6]];
}

export function poseOf(p: Vector, q: Quaternion): Pose {
  return [...p, ...q];
}

export function multiply(a: Quaternion, b: Quaternion): Quaternion {
  const [ax, ay, az, aw] = a;
  const [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

export function conjugate(q: Quaternion): Quaternion {
  return [-q[0], -q[1], -q[2], q[3]];
}

export function rotate(q: Quaternion, v: Vector): Vector {
  const [x, y, z, w] = q;
  const [vx, vy, vz] = v;
  // t = 2 q x v; v + w t + q x t
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  return [
    vx + w * tx + y * tz - z * ty,
    vy + w * ty + z * tx - x * tz,
    vz + w * tz + x * ty - y * tx,
  ];
}

/** a_from_c of a_from_b and b_from_c. */
export function compose(a: Pose, b: Pose): Pose {
  const [x, y, z] = rotate(rotation(a), position(b));
  return poseOf([a[0] + x, a[1] + y, a[2] + z], multiply(rotation(a), rotation(b)));
}

/** b_from_a of a_from_b. */
export function invert(pose: Pose): Pose {
  const back = conjugate(rotation(pose));
  const [x, y, z] = rotate(back, position(pose));
  return poseOf([-x, -y, -z], back);
}

export function fromYaw(yaw: number): Quaternion {
  return [0, 0, Math.sin(yaw / 2), Math.cos(yaw / 2)];
}

/** Yaw and pitch (rad) of where a body (x forward, z up) looks; pitch is positive downwards. */
export function yawPitch(q: Quaternion): { yaw: number; pitch: number } {
  const [x, y, z] = rotate(q, [1, 0, 0]);
  if (Math.hypot(x, y) > 1e-6) {
    return { yaw: Math.atan2(y, x), pitch: Math.atan2(-z, Math.hypot(x, y)) };
  }
  // Straight down or up: the yaw is where the top of the head points.
  const [ux, uy] = rotate(q, [0, 0, 1]);
  const sign = z < 0 ? 1 : -1;
  return { yaw: Math.atan2(sign * uy, sign * ux), pitch: (sign * Math.PI) / 2 };
}

/** The rotation without roll that looks along yaw and pitch. */
export function looking(yaw: number, pitch: number): Quaternion {
  return multiply(fromYaw(yaw), [0, Math.sin(pitch / 2), 0, Math.cos(pitch / 2)]);
}

export function withoutRoll(q: Quaternion): Quaternion {
  const { yaw, pitch } = yawPitch(q);
  return looking(yaw, pitch);
}

/** ROS axes (x forward, y left, z up) from WebXR's (x right, y up, z back): (x, y, z) = (-z, -x, y). */
export const ROS_FROM_WEBXR: Quaternion = [0.5, -0.5, -0.5, 0.5];

/** A pose of WebXR's axes as one of ROS axes: both its frames are turned. */
export function rosFromWebxr(pose: Pose): Pose {
  const [x, y, z, qx, qy, qz, qw] = pose;
  return [-z, -x, y, -qz, -qx, qy, qw];
}
