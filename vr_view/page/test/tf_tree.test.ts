import assert from "node:assert/strict";
import { test } from "node:test";
import { TfTree } from "../src/core/tf_tree";

test("frames are composed from the map", () => {
  const tf = new TfTree();
  tf.set("map", "odom", [1, 0, 0, 0, 0, Math.SQRT1_2, Math.SQRT1_2]);
  tf.set("odom", "base", [2, 0, 0, 0, 0, 0, 1]);
  const pose = tf.lookup("base");
  assert.ok(pose);
  assert.ok(Math.hypot(pose[0] - 1, pose[1] - 2) < 1e-12);
});

test("where tf does not reach the map, the truth stands in, and only there", () => {
  const tf = new TfTree();
  tf.set("odom", "base", [9, 9, 0, 0, 0, 0, 1]);
  tf.set("base", "wheel", [0, 0.1, 0, 0, 0, 0, 1]);
  assert.equal(tf.lookup("wheel"), null);
  tf.setOdometry("map", "base", [1, 2, 0, 0, 0, 0, 1]);
  assert.deepEqual(tf.lookup("wheel")?.slice(0, 3), [1, 2.1, 0]);
  tf.set("map", "odom", [-8, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual(tf.lookup("wheel")?.slice(0, 3), [1, 9.1, 0]);
});

test("a loop in tf is no pose, and no hang", () => {
  const tf = new TfTree();
  tf.set("a", "b", [0, 0, 0, 0, 0, 0, 1]);
  tf.set("b", "a", [0, 0, 0, 0, 0, 0, 1]);
  assert.equal(tf.lookup("a"), null);
});

test("after a lost connection nothing is known to be anywhere", () => {
  const tf = new TfTree();
  tf.set("map", "base", [1, 0, 0, 0, 0, 0, 1]);
  tf.clear();
  assert.equal(tf.lookup("base"), null);
});
