import assert from "node:assert/strict";
import { test } from "node:test";
import { Box3, BoxGeometry, Group, Mesh, Vector3 } from "three";
import type { Material } from "../src/scene/document";
import { Materials } from "../src/scene/materials";
import { mergeAlike } from "../src/scene/merging";

const LOOKS: Material = {
  colour: [1, 0, 0, 1],
  emissive: [0, 0, 0],
  specular: [0, 0, 0],
  shininess: 0,
  lighting: true,
  double_sided: false,
  texture: null,
  given: true,
};

/** A link at (5, 0, 0) with one unit box for each look, 2 m apart along y. */
function linkOf(materials: Materials, looks: Material[]): { link: Group; boxes: Mesh[] } {
  const link = new Group();
  link.position.x = 5;
  const boxes = looks.map((look, k) => {
    const box = new Mesh(new BoxGeometry(), materials.of(look));
    box.position.y = 2 * k;
    link.add(new Group().add(box));
    return box;
  });
  link.updateWorldMatrix(true, true);
  return { link, boxes };
}

function meshesOf(link: Group): Mesh[] {
  const found: Mesh[] = [];
  link.traverse((node) => void (node instanceof Mesh && found.push(node)));
  return found;
}

test("surfaces that differ in their colour alone become one mesh, where they were", () => {
  const materials = new Materials();
  const { link } = linkOf(materials, [LOOKS, { ...LOOKS, colour: [0, 0, 1, 1] }]);
  mergeAlike({ target: link, sources: [link] }, materials, new Set());
  const [merged, ...others] = meshesOf(link);
  assert.equal(others.length, 0);
  const box = new Box3().setFromObject(merged!, true);
  assert.deepEqual(box.min, new Vector3(4.5, -0.5, -0.5));
  assert.deepEqual(box.max, new Vector3(5.5, 2.5, 0.5));
  const [places, colours] = [merged!.geometry.getAttribute("position"), merged!.geometry.getAttribute("color")];
  for (let k = 0; k < places.count; k++) {
    const expected = places.getY(k) < 1 ? [1, 0, 0] : [0, 0, 1];
    assert.deepEqual([colours.getX(k), colours.getY(k), colours.getZ(k)], expected);
  }
});

test("what is seen through, glows, has two sides or may be hidden stays single", () => {
  const materials = new Materials();
  const others: Partial<Material>[] = [{ colour: [1, 0, 0, 0.5] }, { emissive: [1, 1, 1] }, { double_sided: true }];
  const { link, boxes } = linkOf(materials, [LOOKS, LOOKS, LOOKS, ...others.map((other) => ({ ...LOOKS, ...other }))]);
  mergeAlike({ target: link, sources: [link] }, materials, new Set([boxes[0]!]));
  const left = meshesOf(link);
  assert.equal(left.length, 5);
  for (const box of [boxes[0]!, ...boxes.slice(3)]) assert.ok(left.includes(box));
});
