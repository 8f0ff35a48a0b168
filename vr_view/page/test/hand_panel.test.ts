import assert from "node:assert/strict";
import { test } from "node:test";
import { buttonAt } from "../src/xr/hand_panel";

test("buttons of the hand's panel lie in two rows below what it tells", () => {
  assert.equal(buttonAt(0.1, 0.5), null);
  assert.equal(buttonAt(0.1, 0.65), 0);
  assert.equal(buttonAt(0.5, 0.7), 1);
  assert.equal(buttonAt(0.9, 0.7), 2);
  assert.equal(buttonAt(0.1, 0.9), 3);
  assert.equal(buttonAt(0.5, 0.9), 4);
  assert.equal(buttonAt(0.9, 0.9), null);
});
