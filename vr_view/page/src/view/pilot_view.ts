// Puts the rig where the viewpoint's mode wants the head: headset or phone.
import { multiply, poseOf, position, rosFromWebxr, ROS_FROM_WEBXR, rotation, type Pose } from "../core/pose";
import type { TfTree } from "../core/tf_tree";
import { setPose } from "../scene/set_pose";
import type { Stage } from "./stage";
import { Viewpoint } from "./viewpoint";

export class PilotView {
  readonly viewpoint = new Viewpoint();
  private last = 0;
  private head: Pose | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly tf: TfTree,
  ) {}

  /** `head` is device_from_head in WebXR's axes. Where tf is silent the view stays where it was. */
  update(head: Pose, seconds: number): void {
    const elapsed = this.last ? seconds - this.last : 0;
    this.last = seconds;
    this.head = head;
    const deviceFromHead = rosFromWebxr(head);
    const { frame } = this.viewpoint;
    const mapFromHead = this.viewpoint.head(deviceFromHead, frame ? this.tf.lookup(frame) : null, elapsed);
    if (!mapFromHead) return;
    const floor = Viewpoint.floor(mapFromHead, deviceFromHead);
    setPose(this.stage.rig, poseOf(position(floor), multiply(rotation(floor), ROS_FROM_WEBXR)));
  }

  /** Where the head is now, and looks, becomes the middle. */
  recentre(): void {
    if (this.head) this.viewpoint.recentre(rosFromWebxr(this.head));
  }

  /** A phone's head, which no session of the browser applies to the camera. */
  turnCamera(head: Pose): void {
    setPose(this.stage.xrCamera, head);
  }
}
