import assert from "node:assert/strict";
import { test } from "node:test";
import { received } from "../src/scene/baked_light";
import type { Light } from "../src/scene/document";

const LIGHT: Light = {
  name: "light",
  type: "point",
  pose: [0, 0, 2, 0, 0, 0, 1],
  diffuse: [1, 1, 1],
  specular: [0, 0, 0],
  intensity: 2,
  direction: [0, 0, -1],
  cast_shadows: false,
  on: true,
  range: 5,
  attenuation: [0.5, 0, 0.25],
  inner_angle: 0.4,
  outer_angle: 0.8,
  falloff: 1,
};
const UP: [number, number, number] = [0, 0, 1];

test("a point light fades with the distance, and surfaces that turn away get none", () => {
  assert.ok(Math.abs(received(LIGHT, [0, 0, 0], UP) - 2 / 1.5) < 1e-12);
  assert.ok(Math.abs(received(LIGHT, [2, 0, 0], UP) - (2 * Math.SQRT1_2) / 2.5) < 1e-12);
  assert.equal(received(LIGHT, [0, 0, 0], [0, 0, -1]), 0);
  assert.equal(received(LIGHT, [0, 0, -4], UP), 0);
  assert.equal(received({ ...LIGHT, on: false }, [0, 0, 0], UP), 0);
});

test("a directional light is the same everywhere", () => {
  const sun: Light = { ...LIGHT, type: "directional", direction: [0, 3, -3] };
  assert.ok(Math.abs(received(sun, [9, 9, 9], UP) - 2 * Math.SQRT1_2) < 1e-12);
});

test("a spot light ends at its cone", () => {
  const spot: Light = { ...LIGHT, type: "spot" };
  assert.ok(received(spot, [0, 0, 0], UP) > 1);
  assert.equal(received(spot, [2 * Math.tan(0.41), 0, 0], UP), 0);
  assert.ok(received(spot, [2 * Math.tan(0.3), 0, 0], UP) < received(spot, [2 * Math.tan(0.19), 0, 0], UP));
});
