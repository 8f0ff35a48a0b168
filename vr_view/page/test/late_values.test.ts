import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed } from "../src/core/numbers";
import { DronePresence } from "../src/link/drone_presence";
import { Freshness } from "../src/link/freshness";
import { Pace } from "../src/link/pace";
import type { TopicMessage } from "../src/link/protocol";
import { Topics } from "../src/link/topics";
import { withUnit } from "../src/panels/latency";
import { whyNoError, type Told } from "../src/panels/why_no_error";

class Stand {
  now = 0;
  readonly topics = new Topics();
  readonly pace = new Pace(this.topics);
  readonly freshness = new Freshness<Told>(this.pace, () => this.now);

  simulator(factor: number | null, paused = false): void {
    const state = { time: 1, paused, factor, wished: 1, level: 0, text: "" };
    this.topics.emit({ type: "topic", topic: "/page/simulator", kind: "simulator", ...state } as TopicMessage);
  }
}

test("what has never come is told apart from what is late", () => {
  const told = new Stand();
  assert.equal(
    whyNoError(told.freshness),
    "No error: no estimate (/ground_truth/pose) and no reference (/reference/target) has come yet.",
  );
  told.freshness.hear("estimate");
  assert.equal(whyNoError(told.freshness), "No error: no reference (/reference/target) has come yet.");
  told.freshness.hear("reference");
  assert.equal(whyNoError(told.freshness), "No error: the times of estimate and reference have not met yet.");
  told.now = 4000;
  assert.match(whyNoError(told.freshness), /nothing new for 4 s of estimate .* and reference \(\/reference\/target\)\.$/);
  told.freshness.hear("reference");
  assert.equal(whyNoError(told.freshness), "No error: nothing new for 4 s of estimate (/ground_truth/pose).");
});

test("a slow simulator is waited for as much longer, and told", () => {
  const told = new Stand();
  told.simulator(0.05);
  told.freshness.hear("estimate");
  told.now = 29_000;
  assert.ok(told.freshness.isFresh("estimate"));
  told.now = 31_000;
  assert.ok(!told.freshness.isFresh("estimate"));
  told.freshness.hear("reference");
  assert.equal(
    whyNoError(told.freshness),
    "No error: nothing new for 31 s of estimate (/ground_truth/pose); the simulator runs at 0.05 of real time.",
  );
});

test("a fast simulator and one that nobody knows keep the limit of real time", () => {
  for (const factor of [null, 1, 5]) {
    const told = new Stand();
    told.simulator(factor);
    told.freshness.hear("error");
    told.now = 1400;
    assert.ok(told.freshness.isFresh("error"));
    told.now = 1600;
    assert.ok(!told.freshness.isFresh("error"));
    assert.equal(told.pace.slowness, "");
  }
});

test("while the simulator is paused its last value holds, and afterwards its pace is still known", () => {
  const told = new Stand();
  told.simulator(0.1);
  told.freshness.hear("error");
  told.simulator(null, true);
  told.now = 1e6;
  assert.ok(told.freshness.isFresh("error"));
  assert.ok(!told.freshness.isFresh("target"));
  told.simulator(null);
  assert.ok(!told.freshness.isFresh("error"));
  assert.equal(told.pace.stretch(1000), 10_000);
  told.simulator(0);
  assert.equal(told.pace.stretch(1000), 100_000);
});

test("there is a drone where the scene has one or one is heard", () => {
  const topics = new Topics();
  const presence = new DronePresence(topics, () => undefined);
  presence.begin("drone");
  assert.ok(presence.isThere);
  presence.setModels(["phone_robot"]);
  assert.ok(!presence.isThere);
  const status = { kind: "status", name: "", level: 0, text: "", values: {} };
  topics.emit({ type: "topic", topic: "/ground_truth/status", ...status } as TopicMessage);
  assert.ok(!presence.isThere);
  topics.emit({ type: "topic", topic: "/drone/state", ...status } as TopicMessage);
  assert.ok(presence.isThere);
  presence.begin("drone");
  presence.setModels(["drone"]);
  assert.ok(presence.isThere);
});

test("numbers have a unit, and what rounds to nothing has no sign", () => {
  assert.deepEqual(withUnit("viewpoint missed", "405"), ["viewpoint missed", "405 deadlines"]);
  assert.deepEqual(withUnit("this page: skipped_frames", "12.0"), ["this page: skipped frames", "12 frames"]);
  assert.deepEqual(withUnit("viewpoint head_age_ms", "never"), ["viewpoint head age", "never"]);
  assert.equal(fixed(-0.04, 1), "0.0");
  assert.equal(fixed(-0.06, 1), "-0.1");
});
