// The way that something has come: the newest points, oldest overwritten.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Line, LineBasicMaterial } from "three";

const MOST_POINTS = 4000;
const LEAST_STEP = 0.01; // m

export class Trail {
  readonly object: Line;
  private readonly positions = new Float32Array(3 * MOST_POINTS);
  private count = 0;

  constructor(
    colour: number,
    private readonly height: number,
    private readonly onFloor: boolean,
  ) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.object = new Line(geometry, new LineBasicMaterial({ color: colour }));
    this.object.frustumCulled = false;
    this.clear();
  }

  /** The whole way so far: x, y, z one after the other. */
  replace(points: readonly number[]): void {
    this.count = 0;
    for (let k = 0; k + 2 < points.length; k += 3) {
      this.append(points[k] as number, points[k + 1] as number, points[k + 2] as number);
    }
    this.update();
  }

  add(x: number, y: number, z: number): void {
    const at = 3 * (this.count - 1);
    if (this.onFloor) z = 0;
    if (this.count > 0) {
      const [px, py, pz] = this.positions.subarray(at, at + 3);
      if (Math.hypot(x - px!, y - py!, z + this.height - pz!) < LEAST_STEP) return;
    }
    this.append(x, y, z);
    this.update();
  }

  clear(): void {
    this.count = 0;
    this.update();
  }

  private append(x: number, y: number, z: number): void {
    if (this.count === MOST_POINTS) {
      const kept = (3 * MOST_POINTS) / 4;
      this.positions.copyWithin(0, 3 * (MOST_POINTS - kept));
      this.count = kept;
    }
    this.positions.set([x, y, (this.onFloor ? 0 : z) + this.height], 3 * this.count++);
  }

  private update(): void {
    const attribute = this.object.geometry.getAttribute("position") as BufferAttribute;
    attribute.needsUpdate = true;
    this.object.geometry.setDrawRange(0, this.count);
    this.object.visible = this.count > 1;
  }
}
