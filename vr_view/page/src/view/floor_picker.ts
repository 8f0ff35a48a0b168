// Where the pointer is in the map, at a height: for clicks and for drawing.
import { Raycaster, Vector2, Vector3 } from "three";
import type { Vector } from "../core/pose";
import type { Stage } from "./stage";

const FARTHEST = 30; // m: beyond, a click near the horizon means nothing
const CLICK = 6; // pixels that a click may move

export interface PickListener {
  /** The height above the floor at which the pointer is wanted. */
  height(): number;
  picked(point: Vector): void;
  /** While the pointer is drawn along. */
  drawn?(point: Vector): void;
}

export class FloorPicker {
  private listener: PickListener | null = null;
  private readonly raycaster = new Raycaster();
  private start: { x: number; y: number } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
  }

  /** From now on picks go to `listener`; null: the mouse navigates again. */
  use(listener: PickListener | null): void {
    this.listener = listener;
    this.start = null;
    this.stage.controls.enabled = !listener?.drawn;
    this.canvas.style.cursor = listener ? "crosshair" : "";
  }

  /** The point of the map under the pointer; null above the horizon. */
  pointAt(x: number, y: number, height: number): Vector | null {
    const box = this.canvas.getBoundingClientRect();
    const place = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.raycaster.setFromCamera(place, this.stage.camera);
    const { origin, direction } = this.raycaster.ray;
    const from = this.stage.world.worldToLocal(origin.clone());
    const along = this.stage.world.worldToLocal(origin.clone().add(direction)).sub(from);
    const distance = (height - from.z) / along.z;
    if (!(distance > 0)) return null;
    const point: Vector3 = from.addScaledVector(along, distance);
    return Math.hypot(point.x, point.y) < FARTHEST ? [point.x, point.y, height] : null;
  }

  private down(event: PointerEvent): void {
    if (!this.listener || event.button !== 0) return;
    this.start = { x: event.clientX, y: event.clientY };
    if (this.listener.drawn) this.canvas.setPointerCapture(event.pointerId);
  }

  private moved(event: PointerEvent): void {
    if (!this.start || !this.listener?.drawn || this.isClick(event)) return;
    const point = this.pointAt(event.clientX, event.clientY, this.listener.height());
    if (point) this.listener.drawn(point);
  }

  private up(event: PointerEvent): void {
    const isClick = this.isClick(event);
    if (this.start && this.listener && isClick) {
      const point = this.pointAt(event.clientX, event.clientY, this.listener.height());
      if (point) this.listener.picked(point);
    }
    this.start = null;
  }

  private isClick(event: PointerEvent): boolean {
    return !!this.start && Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) < CLICK;
  }
}
