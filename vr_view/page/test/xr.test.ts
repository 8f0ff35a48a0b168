import assert from "node:assert/strict";
import { test } from "node:test";
import { rotate, type Vector } from "../src/core/pose";
import { tangentsOf } from "../src/xr/eyes";
import { acceptRate, chosenRate } from "../src/xr/frame_rate";
import { controllerOf, shake } from "../src/xr/gamepads";
import { NewestImage } from "../src/xr/newest_image";
import { headFromAngles } from "../src/xr/orientation";
import { partFor } from "../src/xr/stereo_video";
import { vrSupport } from "../src/xr/support";

function near(got: readonly number[], wanted: readonly number[]): void {
  assert.equal(got.length, wanted.length);
  got.forEach((value, k) => assert.ok(Math.abs(value - wanted[k]!) < 1e-9, `${got} is not ${wanted}`));
}

test("an asymmetric frustum's tangents", () => {
  const [left, right, up, down, near_] = [1.2, 0.9, 1.1, 0.8, 0.1];
  const projection = new Float64Array(16);
  projection[0] = 2 / (left + right);
  projection[5] = 2 / (up + down);
  projection[8] = (right - left) / (left + right);
  projection[9] = (up - down) / (up + down);
  projection[10] = -1;
  projection[11] = -1;
  projection[14] = -2 * near_;
  near(tangentsOf(projection), [left, right, up, down]);
});

test("the rate that is asked for is one that is offered", () => {
  assert.equal(chosenRate([120, 72, 90], 90), 90);
  assert.equal(chosenRate([60, 72], 90), 72);
  assert.equal(chosenRate([120], 90), 120);
  assert.equal(chosenRate([], 90), null);
});

test("V7: the rate is set and awaited before it is stated", async () => {
  const steps: string[] = [];
  const session = {
    supportedFrameRates: new Float32Array([72, 90, 120]),
    frameRate: 72,
    updateTargetFrameRate: async (rate: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`set ${rate}`);
      session.frameRate = rate;
    },
  };
  steps.push(`stated ${await acceptRate(session as never, 90)}`);
  assert.deepEqual(steps, ["set 90", "stated 90"]);
});

test("V7: a headset that refuses keeps its own rate, and that is stated", async () => {
  const session = {
    supportedFrameRates: new Float32Array([72, 90]),
    frameRate: 72,
    updateTargetFrameRate: () => Promise.reject(new Error("no")),
  };
  assert.equal(await acceptRate(session as never, 90), 72);
  assert.equal(await acceptRate({} as never, 90), null);
});

const button = (value: number) => ({ pressed: value > 0.5, value });

test("sticks and buttons of the standard mapping", () => {
  const buttons = [0.25, 1, 0, 1, 0, 1].map(button);
  const got = controllerOf({ mapping: "xr-standard", axes: [0, 0, 0.5, -1], buttons });
  assert.deepEqual(got, {
    stick: [0.5, -1],
    trigger: 0.25,
    grip: 1,
    buttons: [false, true, true, false, true],
  });
});

test("a touchpad stands in for a stick, and what is missing is not pressed", () => {
  const got = controllerOf({ mapping: "", axes: [0.1, 0.2], buttons: [button(1), button(0), button(1)] });
  assert.deepEqual(got.stick, [0.1, 0.2]);
  assert.deepEqual(got.buttons, [true, false, true, false, false]);
  const bare = controllerOf({ mapping: "", axes: [NaN], buttons: [] });
  assert.deepEqual([bare.stick, bare.trigger], [[0, 0], 0]);
});

test("V15: haptics by the surface that exists, silent otherwise", () => {
  const calls: unknown[] = [];
  const pulse = (...given: unknown[]) => Promise.resolve(calls.push(["pulse", ...given]));
  const playEffect = (...given: unknown[]) => Promise.resolve(calls.push(["effect", ...given]));
  assert.equal(shake({ hapticActuators: [{ pulse }], vibrationActuator: { playEffect } }, 0.5, 0.1), "pulse");
  assert.equal(shake({ hapticActuators: [], vibrationActuator: { playEffect } }, 2, 9), "effect");
  assert.equal(shake({ vibrationActuator: null }, 1, 1), null);
  assert.equal(shake({}, 1, 1), null);
  assert.equal(shake({ hapticActuators: [{ pulse: () => Promise.reject(new Error("busy")) }] }, 1, 1), "pulse");
  const thrower = { pulse: () => { throw new Error("no") } };
  assert.equal(shake({ hapticActuators: [thrower] }, 1, 1), null);
  assert.deepEqual(calls, [
    ["pulse", 0.5, 100],
    ["effect", "dual-rumble", { duration: 5000, strongMagnitude: 1, weakMagnitude: 1 }],
  ]);
});

test("V9: of a side-by-side image each eye gets its half, and never the whole", () => {
  assert.deepEqual(partFor(0, true), [0, 0.5, 0, 1]);
  assert.deepEqual(partFor(1, true), [0.5, 1, 0, 1]);
  assert.deepEqual(partFor(1, false), [0, 1, 0, 1]);
});

test("of images that come while one is decoded, only the newest is shown", async () => {
  const shown: number[] = [];
  const ready: (() => void)[] = [];
  const bitmap = { close() {} } as ImageBitmap;
  const images = new NewestImage(
    (_, stamp) => shown.push(stamp),
    () => new Promise((resolve) => ready.push(() => resolve(bitmap))),
  );
  const blob = new Blob();
  for (const stamp of [1, 2, 3, 4]) images.offer(blob, stamp);
  ready.shift()!();
  await new Promise((resolve) => setImmediate(resolve));
  ready.shift()!();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(shown, [1, 4]);
  assert.equal(images.overtaken, 2);
});

test("V6: what was being decoded when the connection was lost is never shown", async () => {
  let finish = () => {};
  let closed = 0;
  const bitmap = { close: () => closed++ } as unknown as ImageBitmap;
  const images = new NewestImage(
    () => assert.fail("shown"),
    () => new Promise((resolve) => (finish = () => resolve(bitmap))),
  );
  images.offer(new Blob(), 1);
  images.clear();
  finish();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(closed, 1);
});

test("V1: plain http over a network is told, with what to do", async () => {
  const there = { isSecure: false, host: "192.168.1.7", port: "8770", xr: undefined };
  const support = await vrSupport(there);
  assert.ok(!support.ok && support.why === "insecure");
  assert.match(support.text, /https:\/\/192\.168\.1\.7:8770/);
  assert.match(support.text, /adb reverse tcp:8770 tcp:8770/);
});

test("V16: a browser without WebXR is told from one without a headset", async () => {
  const here = { isSecure: true, host: "localhost", port: "" };
  const none = await vrSupport({ ...here, xr: undefined });
  assert.ok(!none.ok && none.why === "none");
  const absent = await vrSupport({ ...here, xr: { isSessionSupported: async () => false } });
  assert.ok(!absent.ok && absent.why === "headset");
  assert.ok((await vrSupport({ ...here, xr: { isSessionSupported: async () => true } })).ok);
});

test("V16: a phone's angles as a head", () => {
  const ahead = (alpha: number, beta: number, gamma: number, screen = 0): Vector =>
    rotate(headFromAngles(alpha, beta, gamma, screen), [0, 0, -1]);
  near(ahead(0, 90, 0), [0, 0, -1]); // upright: out of its back
  near(ahead(0, 0, 0), [0, -1, 0]); // flat on a table: down
  near(ahead(90, 90, 0), [-1, 0, 0]); // turned to the left
  near(rotate(headFromAngles(0, 90, 0, 0), [0, 1, 0]), [0, 1, 0]);
  // Held across, its top to the left, and the screen turned with it.
  near(ahead(0, 0, -90, 90), [1, 0, 0]);
  near(rotate(headFromAngles(0, 0, -90, 90), [0, 1, 0]), [0, 1, 0]);
});
