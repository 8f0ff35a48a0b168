import assert from "node:assert/strict";
import { test } from "node:test";
import {
  compose,
  fromYaw,
  invert,
  looking,
  rosFromWebxr,
  ROS_FROM_WEBXR,
  rotate,
  withoutRoll,
  multiply,
  yawPitch,
  type Pose,
  type Quaternion,
  type Vector,
} from "../src/core/pose";

function near(got: readonly number[], wanted: readonly number[]): void {
  assert.equal(got.length, wanted.length);
  got.forEach((value, k) => assert.ok(Math.abs(value - wanted[k]!) < 1e-9, `${got} is not ${wanted}`));
}

const S = Math.SQRT1_2;

test("a pose and its inverse cancel", () => {
  const pose: Pose = [1, -2, 3, 0.1, 0.7, -0.1, Math.sqrt(1 - 0.51)];
  near(compose(pose, invert(pose)), [0, 0, 0, 0, 0, 0, 1]);
});

test("poses compose from the left", () => {
  const turned: Pose = [1, 0, 0, ...fromYaw(Math.PI / 2)];
  near(compose(turned, [2, 0, 0, 0, 0, 0, 1]), [1, 2, 0, 0, 0, S, S]);
});

test("a headset's axes become those of ROS: forward x, left y, up z", () => {
  near(rotate(ROS_FROM_WEBXR, [0, 0, -1]), [1, 0, 0]);
  near(rotate(ROS_FROM_WEBXR, [-1, 0, 0]), [0, 1, 0]);
  near(rotate(ROS_FROM_WEBXR, [0, 1, 0]), [0, 0, 1]);
  near(rosFromWebxr([1, 2, 3, 0.1, 0.2, 0.3, 0.9]), [-3, -1, 2, -0.3, -0.1, 0.2, 0.9]);
});

test("turning both frames is what rosFromWebxr does", () => {
  const pose: Pose = [0.3, 1.6, -0.4, 0.1, 0.7, -0.1, Math.sqrt(1 - 0.51)];
  const ahead: Vector = [0.2, -0.5, -1.5];
  const [x, y, z] = rotate(pose.slice(3) as Quaternion, ahead);
  const inWebxr: Vector = [x + pose[0], y + pose[1], z + pose[2]];
  const ros = rosFromWebxr(pose);
  const [u, v, w] = rotate(ros.slice(3) as Quaternion, rotate(ROS_FROM_WEBXR, ahead));
  near([u + ros[0], v + ros[1], w + ros[2]], rotate(ROS_FROM_WEBXR, inWebxr));
});

test("yaw and pitch, the roll taken out", () => {
  const rolled = multiply(looking(0.8, 0.4), [Math.sin(0.3), 0, 0, Math.cos(0.3)]);
  const { yaw, pitch } = yawPitch(rolled);
  near([yaw, pitch], [0.8, 0.4]);
  near(withoutRoll(rolled), looking(0.8, 0.4));
  near(rotate(looking(0, 0.5), [1, 0, 0]), [Math.cos(0.5), 0, -Math.sin(0.5)]);
});

test("straight down the yaw is where the top of the head points", () => {
  near(Object.values(yawPitch(looking(0.7, Math.PI / 2))), [0.7, Math.PI / 2]);
  near(Object.values(yawPitch(looking(-0.7, -Math.PI / 2))), [-0.7, -Math.PI / 2]);
});
