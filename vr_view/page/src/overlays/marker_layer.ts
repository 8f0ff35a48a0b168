// Markers as RViz knows them; each message holds all that are shown now.
import {
  BoxGeometry,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  SphereGeometry,
  Sprite,
  Vector3,
  type Object3D,
} from "three";
import type { TfTree } from "../core/tf_tree";
import type { MarkerShape } from "../link/protocol";
import { colour } from "../scene/materials";
import { setPose } from "../scene/set_pose";
import { textSprite } from "./text_sprite";

const UNIT_BOX = new BoxGeometry();
const UNIT_BALL = new SphereGeometry(0.5, 24, 12);
const UNIT_CYLINDER = new CylinderGeometry(0.5, 0.5, 1, 32).rotateX(Math.PI / 2);
const SHARED = new Set<BufferGeometry>([UNIT_BOX, UNIT_BALL, UNIT_CYLINDER]);

interface Shown {
  object: Object3D;
  frame: string;
  key: string;
}

export class MarkerLayer {
  readonly object = new Group();
  /** Markers of these namespaces are drawn by somebody else. */
  readonly hidden = new Set<string>();
  private readonly shown = new Map<string, Shown>();

  show(markers: MarkerShape[]): void {
    const kept = new Set<string>();
    for (const marker of markers) {
      if (this.hidden.has(marker.ns)) continue;
      const name = `${marker.ns}/${marker.id}`;
      kept.add(name);
      this.update(name, marker);
    }
    for (const name of [...this.shown.keys()]) if (!kept.has(name)) this.remove(name);
  }

  place(tf: TfTree): void {
    for (const { object, frame } of this.shown.values()) {
      const pose = tf.lookup(frame);
      object.visible = pose !== null;
      if (pose) setPose(object, pose);
    }
  }

  clear(): void {
    for (const name of [...this.shown.keys()]) this.remove(name);
  }

  private update(name: string, marker: MarkerShape): void {
    const { pose, ...looks } = marker;
    const key = JSON.stringify(looks);
    let shown = this.shown.get(name);
    if (shown?.key !== key) {
      this.remove(name);
      const holder = new Group();
      const drawn = draw(marker);
      if (drawn) holder.add(drawn);
      this.object.add(holder);
      shown = { object: holder, frame: marker.frame, key };
      this.shown.set(name, shown);
    }
    const drawn = shown.object.children[0];
    if (drawn) setPose(drawn, pose);
  }

  private remove(name: string): void {
    const shown = this.shown.get(name);
    shown?.object.traverse(dispose);
    shown?.object.removeFromParent();
    this.shown.delete(name);
  }
}

function dispose(node: Object3D): void {
  if (node instanceof Mesh || node instanceof Line || node instanceof Points) {
    if (!SHARED.has(node.geometry)) node.geometry.dispose();
    node.material.dispose();
  }
  if (node instanceof Sprite) {
    node.material.map?.dispose();
    node.material.dispose();
  }
}

function draw(marker: MarkerShape): Object3D | null {
  const { scale } = marker;
  switch (marker.shape) {
    case "box":
      return solid(UNIT_BOX, marker);
    case "sphere":
      return solid(UNIT_BALL, marker);
    case "cylinder":
      return solid(UNIT_CYLINDER, marker);
    case "arrow":
      return arrow(marker);
    case "line_strip":
      return new Line(pointGeometry(marker), lineMaterial(marker));
    case "line_list":
      return new LineSegments(pointGeometry(marker), lineMaterial(marker));
    case "points": {
      const material = new PointsMaterial({ size: scale[0], color: colour(marker.colour) });
      material.vertexColors = hasColours(marker);
      return new Points(pointGeometry(marker), material);
    }
    case "text": {
      const style = `#${colour(marker.colour).getHexString()}`;
      return textSprite(marker.text ?? "", scale[2], style);
    }
    default:
      return null;
  }
}

function material(marker: MarkerShape): MeshLambertMaterial {
  const opacity = marker.colour[3];
  return new MeshLambertMaterial({
    color: colour(marker.colour),
    opacity,
    transparent: opacity < 1,
    depthWrite: opacity >= 1,
  });
}

function solid(geometry: BufferGeometry, marker: MarkerShape): Mesh {
  const mesh = new Mesh(geometry, material(marker));
  mesh.scale.set(...marker.scale);
  return mesh;
}

/** Along x, or from the first point to the second. */
function arrow(marker: MarkerShape): Object3D {
  const points = flat(marker.points);
  const [start, end] =
    points.length >= 6
      ? [new Vector3(...points.slice(0, 3)), new Vector3(...points.slice(3, 6))]
      : [new Vector3(), new Vector3(marker.scale[0], 0, 0)];
  const along = end.clone().sub(start);
  const length = along.length();
  const group = new Group();
  if (length < 1e-6) return group;
  const shaft = points.length >= 6 ? marker.scale[0] : marker.scale[1];
  const head = Math.min(0.35 * length, 3 * shaft);
  const looks = material(marker);
  const stick = new Mesh(new CylinderGeometry(shaft / 2, shaft / 2, length - head, 12), looks);
  stick.position.y = (length - head) / 2;
  const tip = new Mesh(new ConeGeometry(shaft, head, 16), looks);
  tip.position.y = length - head / 2;
  const inner = new Group();
  inner.add(stick, tip);
  inner.position.copy(start);
  inner.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.normalize()));
  group.add(inner);
  return group;
}

function flat(points: MarkerShape["points"]): number[] {
  return (points ?? []).flat();
}

function hasColours(marker: MarkerShape): boolean {
  return (marker.colours?.length ?? 0) > 0 && marker.colours!.length === flat(marker.points).length / 3;
}

function pointGeometry(marker: MarkerShape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(flat(marker.points), 3));
  if (hasColours(marker)) {
    const shades = marker.colours!.flatMap((c) => c.slice(0, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(shades, 3));
  }
  return geometry;
}

function lineMaterial(marker: MarkerShape): LineBasicMaterial {
  const looks = new LineBasicMaterial({
    color: hasColours(marker) ? 0xffffff : colour(marker.colour),
    opacity: marker.colour[3],
    transparent: marker.colour[3] < 1,
  });
  looks.vertexColors = hasColours(marker);
  return looks;
}
