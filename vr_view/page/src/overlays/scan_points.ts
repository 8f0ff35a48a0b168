// The newest laser scan as points, in the frame of the laser.
import { BufferGeometry, DynamicDrawUsage, BufferAttribute, Points, PointsMaterial } from "three";
import type { TfTree } from "../core/tf_tree";
import type { TopicMessage } from "../link/protocol";
import { setPose } from "../scene/set_pose";

/** x, y, z of the beams that hit something, written into `points`; returns how many. */
export function scanPoints(scan: TopicMessage<"scan">, points: Float32Array): number {
  const ranges = new Float32Array(scan.payload, scan.offset, scan.count);
  let hits = 0;
  for (let beam = 0; beam < scan.count; beam++) {
    const range = ranges[beam] as number;
    if (!(range >= scan.range_min && range <= scan.range_max)) continue;
    const angle = scan.angle_min + beam * scan.angle_increment;
    points[3 * hits] = range * Math.cos(angle);
    points[3 * hits + 1] = range * Math.sin(angle);
    points[3 * hits + 2] = 0;
    hits++;
  }
  return hits;
}

export class ScanPoints {
  readonly object: Points;
  private frame: string | null = null;

  constructor(colour: number) {
    const material = new PointsMaterial({ color: colour, size: 5, sizeAttenuation: false });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.clear();
  }

  show(scan: TopicMessage<"scan">): void {
    this.frame = scan.frame;
    const buffer = this.roomFor(scan.count);
    const hits = scanPoints(scan, buffer.array as Float32Array);
    buffer.needsUpdate = true;
    this.object.geometry.setDrawRange(0, hits);
  }

  place(tf: TfTree): void {
    const pose = this.frame ? tf.lookup(this.frame) : null;
    this.object.visible = pose !== null && this.object.geometry.drawRange.count > 0;
    if (pose) setPose(this.object, pose);
  }

  clear(): void {
    this.frame = null;
    this.object.geometry.setDrawRange(0, 0);
    this.object.visible = false;
  }

  private roomFor(count: number): BufferAttribute {
    const known = this.object.geometry.getAttribute("position") as BufferAttribute | undefined;
    if (known && known.count >= count) return known;
    const made = new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
    this.object.geometry.dispose();
    this.object.geometry.setAttribute("position", made);
    return made;
  }
}
