// Whether there is a drone to fly: the scene has one, or one is heard of (it may be a real one).
import type { Topics } from "./topics";

export const NO_DRONE = "no drone in this scene";

export class DronePresence {
  private heard = false;
  private models: string[] | null = null;
  private drone = "drone";

  /** `changed` is called when the answer may be another. */
  constructor(
    topics: Topics,
    private readonly changed: () => void,
  ) {
    for (const kind of ["status", "pose", "odometry", "battery"] as const) {
      topics.on(kind, ({ topic }) => topic.startsWith(`/${this.drone}/`) && this.hear());
    }
  }

  /** A server has told the drone's name; it may be another server. */
  begin(drone: string): void {
    this.drone = drone;
    this.heard = false;
  }

  setModels(names: string[]): void {
    this.models = names;
    this.changed();
  }

  /** True too while the scene is not known. */
  get isThere(): boolean {
    return this.heard || (this.models?.includes(this.drone) ?? true);
  }

  private hear(): void {
    if (this.heard) return;
    this.heard = true;
    this.changed();
  }
}
