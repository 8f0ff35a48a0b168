import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBinary, type TopicMessage } from "../src/link/protocol";
import { verdict, waitAfter } from "../src/link/reconnecting";
import { ServerClock } from "../src/link/server_clock";
import { ellipseOf } from "../src/overlays/covariance";
import { scanPoints } from "../src/overlays/scan_points";

function binary(header: object, payload: Float32Array): ArrayBuffer {
  let words = new TextEncoder().encode(JSON.stringify(header));
  const padded = new Uint8Array(Math.ceil(words.length / 4) * 4).fill(32);
  padded.set(words);
  words = padded;
  const data = new Uint8Array(4 + words.length + payload.byteLength);
  new DataView(data.buffer).setUint32(0, words.length, true);
  data.set(words, 4);
  data.set(new Uint8Array(payload.buffer), 4 + words.length);
  return data.buffer;
}

test("a scan's beams become points, those that hit nothing left out", () => {
  const header = { topic: "/scan", kind: "scan", angle_min: 0, angle_increment: Math.PI / 2, range_min: 0.1, range_max: 10, count: 4 };
  const scan = decodeBinary(binary(header, new Float32Array([1, 2, Infinity, NaN])));
  const points = new Float32Array(12);
  assert.equal(scanPoints(scan as unknown as TopicMessage<"scan">, points), 2);
  [1, 0, 0, 0, 2, 0].forEach((value, k) => assert.ok(Math.abs(points[k]! - value) < 1e-6));
});

test("a cut message is refused", () => {
  const whole = binary({ topic: "/scan" }, new Float32Array(1));
  assert.throws(() => decodeBinary(whole.slice(0, 10)));
  assert.throws(() => decodeBinary(whole.slice(0, 2)));
});

test("the clock trusts the shortest round trip", () => {
  const clock = new ServerClock();
  clock.start(10, 1000);
  assert.equal(clock.roundTrip, null);
  clock.add(10, 10.5, 1000.4); // 250 ms each way, if the way there is as long as back
  clock.add(11, 11.01, 1001.105);
  clock.add(12, 12.8, 1002.1);
  assert.ok(Math.abs(clock.fromPage(0) - 990.1) < 1e-9);
  assert.ok(Math.abs((clock.roundTrip ?? 0) - 800) < 1e-6);
});

test("a lost socket is opened again, slower and slower, to five seconds", () => {
  assert.deepEqual([0, 1, 2, 9].map(waitAfter), [0.25, 0.5, 1, 5]);
  assert.equal(verdict(1001, 0).wait, 0.25);
  assert.equal(verdict(1006, 3).wait, 2);
});

test("where the server does not want us, only the user tries again", () => {
  for (const code of [1008, 1009, 4001, 4002]) assert.equal(verdict(code, 0).wait, null);
});

test("the ellipse of a covariance", () => {
  const covariance = new Array<number | null>(36).fill(null);
  assert.equal(ellipseOf(covariance), null);
  [covariance[0], covariance[1], covariance[6], covariance[7]] = [2.5, 1.5, 1.5, 2.5];
  const ellipse = ellipseOf(covariance);
  assert.ok(ellipse);
  assert.ok(Math.abs(ellipse.long - 2) < 1e-12 && Math.abs(ellipse.short - 1) < 1e-12);
  assert.ok(Math.abs(ellipse.yaw - Math.PI / 4) < 1e-12);
});
