// What the user has marked for the drone: a setpoint and a trajectory, each with plumb lines.
import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  SphereGeometry,
} from "three";
import type { Vector } from "../core/pose";

export const SETPOINT = 0xff9a3c;
export const TRAJECTORY = 0xc792ff;

export class FlightPlan {
  readonly object = new Group();
  private readonly setpoint = new Group();
  private readonly ball = new Mesh(new SphereGeometry(0.06, 24, 12), new MeshBasicMaterial({ color: SETPOINT }));
  private readonly plumb = segments(SETPOINT);
  private readonly way = new Line(new BufferGeometry(), new LineBasicMaterial({ color: TRAJECTORY }));
  private readonly corners = new Points(
    new BufferGeometry(),
    new PointsMaterial({ color: TRAJECTORY, size: 7, sizeAttenuation: false }),
  );
  private readonly plumbs = segments(TRAJECTORY);

  constructor() {
    this.setpoint.add(this.ball, this.plumb);
    this.object.add(this.setpoint, this.way, this.corners, this.plumbs);
    for (const part of [this.plumb, this.way, this.corners, this.plumbs]) part.frustumCulled = false;
    this.showSetpoint(null);
    this.showTrajectory([]);
  }

  showSetpoint(point: Vector | null): void {
    this.setpoint.visible = point !== null;
    if (!point) return;
    this.ball.position.set(...point);
    fill(this.plumb.geometry, plumbLines([point]));
  }

  showTrajectory(points: Vector[]): void {
    for (const part of [this.way, this.corners, this.plumbs]) part.visible = points.length > 0;
    fill(this.way.geometry, points.flat());
    fill(this.corners.geometry, points.flat());
    fill(this.plumbs.geometry, plumbLines(points.filter((_, k) => k % 5 === 0)));
  }
}

function segments(color: number): LineSegments {
  const material = new LineBasicMaterial({ color, transparent: true, opacity: 0.45 });
  return new LineSegments(new BufferGeometry(), material);
}

function plumbLines(points: Vector[]): number[] {
  return points.flatMap(([x, y, z]) => [x, y, z, x, y, 0]);
}

function fill(geometry: BufferGeometry, numbers: number[]): void {
  geometry.dispose();
  geometry.setAttribute("position", new Float32BufferAttribute(numbers, 3));
}
