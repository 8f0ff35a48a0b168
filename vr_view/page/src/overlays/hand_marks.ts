// Where the hands really are in the room: after their reach, and as physics let them.
import { Group, Mesh, MeshLambertMaterial, SphereGeometry } from "three";
import type { Pose } from "../core/pose";
import { setPose } from "../scene/set_pose";

const LASTS = 1000; // ms without news: then the hand is nowhere
const RADIUS = 0.04; // m

export class HandMarks {
  readonly object = new Group();
  private readonly hands = new Map<string, { mesh: Mesh; shownAt: number }>();

  show(hand: string, pose: Pose): void {
    let known = this.hands.get(hand);
    if (!known) {
      const material = new MeshLambertMaterial({ color: 0xd9b38c, transparent: true, opacity: 0.6 });
      known = { mesh: new Mesh(new SphereGeometry(RADIUS, 20, 10), material), shownAt: 0 };
      this.hands.set(hand, known);
      this.object.add(known.mesh);
    }
    known.shownAt = performance.now();
    known.mesh.visible = true;
    setPose(known.mesh, pose);
  }

  fade(): void {
    for (const { mesh, shownAt } of this.hands.values()) {
      if (performance.now() - shownAt > LASTS) mesh.visible = false;
    }
  }

  clear(): void {
    for (const { mesh } of this.hands.values()) mesh.visible = false;
  }
}
