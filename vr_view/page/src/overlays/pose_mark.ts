// A ring with a pointer that stands for a pose, and the ellipse of its covariance.
import {
  BufferGeometry,
  CircleGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  LineLoop,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  Shape,
  ShapeGeometry,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Pose } from "../core/pose";
import type { Pace } from "../link/pace";
import { setPose } from "../scene/set_pose";
import { ellipseOf } from "./covariance";

/** An ellipse at life size is a few millimetres: it is drawn so many times as large. */
export const MAGNIFIED = 10;
const WITHIN_95 = Math.sqrt(5.991); // standard deviations that hold 95 % in the plane
const RADIUS = 0.13; // m: around the target's cylinder
const LASTS = 3000; // ms at real time
const HEIGHT = 0.57; // m: above it

const RING = new RingGeometry(RADIUS - 0.025, RADIUS, 48);

function pointer(): ShapeGeometry {
  const shape = new Shape();
  shape.moveTo(RADIUS + 0.02, 0.06).lineTo(RADIUS + 0.16, 0).lineTo(RADIUS + 0.02, -0.06);
  return new ShapeGeometry(shape);
}

/** The ring and then the pointer, drawn at once. */
function outline(): BufferGeometry {
  return mergeGeometries([RING, pointer()]);
}

function unitCircle(): BufferGeometry {
  const points: number[] = [];
  for (let k = 0; k < 64; k++) {
    points.push(Math.cos((k * Math.PI) / 32), Math.sin((k * Math.PI) / 32), 0);
  }
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}

export class PoseMark {
  readonly object = new Group();
  private readonly body = new Group();
  private readonly ellipse = new Group();
  private readonly outline = outline();
  private shownAt = 0;

  /** `lift` keeps marks at the same place apart. */
  constructor(colour: number, lift = 0) {
    const material = new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.85, side: DoubleSide });
    material.forceSinglePass = true; // What is flat has no back to be drawn first.
    const faint = new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.35, depthWrite: false });
    this.body.add(new Mesh(this.outline, material));
    this.body.position.z = HEIGHT + lift;
    this.ellipse.add(new Mesh(new CircleGeometry(1, 48), faint));
    this.ellipse.add(new LineLoop(unitCircle(), new LineBasicMaterial({ color: colour })));
    this.object.add(this.body, this.ellipse);
    this.ellipse.position.z = HEIGHT + lift + 0.002;
    this.clear();
  }

  /** `hasYaw` is false for a position alone. */
  show(pose: Pose, covariance?: readonly (number | null)[], hasYaw = true): void {
    this.shownAt = performance.now();
    this.outline.setDrawRange(0, hasYaw ? Infinity : RING.index!.count);
    setPose(this.object, [pose[0], pose[1], 0, pose[3], pose[4], pose[5], pose[6]]);
    this.object.visible = true;
    const ellipse = covariance ? ellipseOf(covariance) : null;
    this.ellipse.visible = ellipse !== null;
    if (!ellipse) return;
    const grown = WITHIN_95 * MAGNIFIED;
    this.ellipse.scale.set(Math.max(ellipse.long * grown, 1e-3), Math.max(ellipse.short * grown, 1e-3), 1);
    // The ellipse's axes are the map's, and the object has been turned.
    const yaw = 2 * Math.atan2(pose[5], pose[6]);
    this.ellipse.rotation.z = ellipse.yaw - yaw;
  }

  /** A pose that nobody renews is no pose. */
  fade(pace: Pace): void {
    if (performance.now() - this.shownAt > pace.stretch(LASTS)) this.clear();
  }

  clear(): void {
    this.object.visible = false;
    this.ellipse.visible = false;
  }
}
