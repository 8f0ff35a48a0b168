import assert from "node:assert/strict";
import { test } from "node:test";
import { geometryOf, round } from "../src/scene/shapes";

test("a circle's segments stay within half a millimetre of it, and few for small ones", () => {
  for (const radius of [0.002, 0.02, 0.05, 0.09]) {
    const segments = round(radius);
    assert.ok(radius * (1 - Math.cos(Math.PI / segments)) <= 5e-4, `radius ${radius}`);
    assert.equal(segments % 4, 0);
  }
  assert.equal(round(0.02), 16);
  assert.equal(round(1e-5), 12);
  assert.equal(round(3), 32);
});

test("round shapes have the size that they are given", () => {
  const ellipsoid = geometryOf({ type: "ellipsoid", radii: [0.02, 0.03, 0.05] })!;
  ellipsoid.computeBoundingBox();
  const { x, y, z } = ellipsoid.boundingBox!.max;
  [x - 0.02, y - 0.03, z - 0.05].forEach((rest) => assert.ok(Math.abs(rest) < 1e-6));
  const cylinder = geometryOf({ type: "cylinder", radius: 0.07, length: 0.4 })!;
  cylinder.computeBoundingBox();
  assert.ok(Math.abs(cylinder.boundingBox!.max.z - 0.2) < 1e-6);
  assert.ok(Math.abs(cylinder.boundingBox!.max.x - 0.07) < 1e-6);
});
