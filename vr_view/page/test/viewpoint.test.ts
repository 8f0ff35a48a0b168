import assert from "node:assert/strict";
import { test } from "node:test";
import { fromYaw, looking, multiply, rotate, type Pose, type Quaternion } from "../src/core/pose";
import { Viewpoint, type Mode } from "../src/view/viewpoint";

function near(got: readonly number[], wanted: readonly number[]): void {
  assert.equal(got.length, wanted.length);
  got.forEach((value, k) => assert.ok(Math.abs(value - wanted[k]!) < 1e-9, `${got} is not ${wanted}`));
}

function ahead(pose: Pose): number[] {
  return rotate(pose.slice(3) as Quaternion, [1, 0, 0]);
}

function inMode(mode: Mode): Viewpoint {
  const viewpoint = new Viewpoint();
  viewpoint.choose(mode);
  return viewpoint;
}

const HEAD: Pose = [0.1, 0.2, 1.6, ...looking(0.4, 0.3)];

test("fixed: the device's floor stands at a place of the map", () => {
  const pose = inMode("fixed").head([0.5, 0, 1.6, 0, 0, 0, 1], null, 0);
  assert.ok(pose);
  near(pose.slice(0, 3), [0, 1, 1.6]);
  near(ahead(pose), [0, 1, 0]);
});

test("free look: the camera, then the head", () => {
  const pose = inMode("free_look").head([9, 9, 9, ...fromYaw(0.2)], [1, 2, 3, ...fromYaw(0.5)], 0);
  assert.ok(pose);
  near(pose, [1, 2, 3, ...fromYaw(0.7)]);
});

test("steered: the camera's yaw and all roll are taken out", () => {
  const rolled = multiply(fromYaw(1.2), [Math.sin(0.1), 0, 0, Math.cos(0.1)]);
  const pose = inMode("steered").head(HEAD, [1, 2, 3, ...rolled], 0);
  assert.ok(pose);
  near([rotate(pose.slice(3) as Quaternion, [0, 1, 0])[2]], [0]);
  near(inMode("steered").head(HEAD, [1, 2, 3, ...fromYaw(1.2)], 0)!.slice(3), looking(0.4, 0.3));
});

test("orbit: at the set distance, looking at the target, driven by yaw and pitch", () => {
  const viewpoint = inMode("orbit");
  viewpoint.options["orbit.distance"] = 2;
  const pose = viewpoint.head([0, 0, 1.6, ...looking(Math.PI / 2, Math.PI / 6)], [1, 1, 0.5, 0, 0, 0, 1], 0);
  assert.ok(pose);
  near(pose.slice(0, 3), [1, 1 - 2 * Math.cos(Math.PI / 6), 1.5]);
  near(ahead(pose), [0, Math.cos(Math.PI / 6), -0.5]);
});

test("follow: behind and above the target, and a step is made up for in time", () => {
  const viewpoint = inMode("follow");
  const level: Pose = [0, 0, 1.6, 0, 0, 0, 1];
  near(viewpoint.head(level, [0, 0, 0, 0, 0, 0, 1], 0)!.slice(0, 3), [-1.5, 0, 0.7]);
  const after = viewpoint.head(level, [1, 0, 0, 0, 0, 0, 1], 0.4)!;
  near([after[0]], [-1.5 + 1 - Math.exp(-1)]);
  const jumped = viewpoint.head(level, [100, 0, 0, 0, 0, 0, 1], 0.01)!;
  near([jumped[0]], [98.5]);
});

test("what the node tells of its parameters counts", () => {
  const viewpoint = inMode("orbit");
  viewpoint.take({
    "orbit.distance": "4.0",
    "orbit.height": "0.5",
    "orbit.turns_with_target": "true",
    target_frame: '"drone"',
    "follow.distance": '"far"',
    "follow.height": "no JSON",
    place: "[1.0, 2.0, 0.0, 0.0]",
    "follow.jump": "0.5",
  });
  assert.equal(viewpoint.frame, "drone");
  const target: Pose = [1, 1, 0.5, ...fromYaw(Math.PI / 2)];
  near(viewpoint.head([0, 0, 1.6, 0, 0, 0, 1], target, 0)!.slice(0, 3), [1, -3, 1]);
  viewpoint.choose("fixed");
  near(viewpoint.head([0, 0, 1.6, 0, 0, 0, 1], null, 0)!.slice(0, 3), [1, 2, 1.6]);
  viewpoint.choose("follow");
  viewpoint.head([0, 0, 1.6, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1], 0);
  near(viewpoint.head([0, 0, 1.6, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1], 0.01)!.slice(0, 3), [-0.5, 0, 0.7]);
});

test("an optical camera looks along its z, and a level one stands upright", () => {
  const viewpoint = inMode("free_look");
  viewpoint.take({ "camera.optical": "true", "camera.level": "true" });
  const optical = multiply(looking(0.5, 0.3), [-0.5, 0.5, -0.5, 0.5]);
  const pose = viewpoint.head([0, 0, 0, 0, 0, 0, 1], [1, 2, 3, ...optical], 0)!;
  near(ahead(pose), [Math.cos(0.5), Math.sin(0.5), 0]);
  viewpoint.take({ "camera.level": "false" });
  const tilted = viewpoint.head([0, 0, 0, 0, 0, 0, 1], [1, 2, 3, ...optical], 0)!;
  near(ahead(tilted).slice(2), [-Math.sin(0.3)]);
});

test("without the pose that a mode needs there is no view", () => {
  for (const mode of ["free_look", "steered", "orbit", "follow"] as const) {
    assert.equal(inMode(mode).head(HEAD, null, 0), null);
  }
});

test("the floor stands so that the head is where the mode puts it", () => {
  const mapFromHead: Pose = [1, 2, 3, ...looking(0.3, -0.2)];
  const floor = Viewpoint.floor(mapFromHead, HEAD);
  const [x, y, z] = rotate(floor.slice(3) as Quaternion, [HEAD[0], HEAD[1], HEAD[2]]);
  near([x + floor[0], y + floor[1], z + floor[2]], [1, 2, 3]);
});

test("recentred: where the head was is the middle, the floor stays", () => {
  const viewpoint = inMode("fixed");
  viewpoint.recentre(HEAD);
  const pose = viewpoint.head(HEAD, null, 0)!;
  near(pose.slice(0, 3), [0, 0.5, 1.6]);
  near(ahead(pose), [0, Math.cos(0.3), -Math.sin(0.3)]);
});
