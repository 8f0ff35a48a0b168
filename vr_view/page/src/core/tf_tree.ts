// Where frames are: tf, and for what tf does not reach the truth's odometry.
import { compose, type Pose } from "./pose";

const DEEPEST = 100; // a loop in tf must not hang the page

export class TfTree {
  private readonly parents = new Map<string, { parent: string; pose: Pose }>();
  private readonly odometry = new Map<string, { frame: string; pose: Pose }>();

  /** parent_from_child, the newest one. */
  set(parent: string, child: string, pose: Pose): void {
    this.parents.set(child, { parent, pose });
  }

  setOdometry(frame: string, child: string, pose: Pose): void {
    this.odometry.set(child, { frame, pose });
  }

  /** After a lost connection nothing is known to be where it was. */
  clear(): void {
    this.parents.clear();
    this.odometry.clear();
  }

  /** root_from_frame; null where nothing tells. */
  lookup(frame: string, root = "map"): Pose | null {
    return this.climb(frame, root, false) ?? this.climb(frame, root, true);
  }

  private climb(frame: string, root: string, useOdometry: boolean): Pose | null {
    let pose: Pose = [0, 0, 0, 0, 0, 0, 1];
    let at = frame;
    for (let depth = 0; depth < DEEPEST; depth++) {
      if (at === root) return pose;
      const truth = useOdometry ? this.odometry.get(at) : undefined;
      const up = truth ? { parent: truth.frame, pose: truth.pose } : this.parents.get(at);
      if (!up) return null;
      pose = compose(up.pose, pose);
      at = up.parent;
    }
    return null;
  }
}
