// The free view goes along with something that moves; the mouse still turns and zooms it.
import { Vector3 } from "three";
import type { TfTree } from "../core/tf_tree";
import type { Stage } from "./stage";

export class FollowCamera {
  /** tf's name of what is followed; null: nothing. */
  frame: string | null = null;
  private readonly target = new Vector3();

  constructor(
    private readonly stage: Stage,
    private readonly tf: TfTree,
  ) {}

  update(): void {
    const pose = this.frame ? this.tf.lookup(this.frame) : null;
    if (!pose) return;
    const { controls, camera, world } = this.stage;
    this.target.set(pose[0], pose[1], pose[2] + 0.2);
    world.localToWorld(this.target);
    camera.position.add(this.target.clone().sub(controls.target));
    controls.target.copy(this.target);
  }
}
