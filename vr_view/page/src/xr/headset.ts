// A session on a headset: begins, tells the server what the device is and does, ends and leaves nothing.
import type { Connection } from "../link/connection";
import type { Controller, Device, Hand, Outgoing } from "../link/protocol";
import type { Pose } from "../core/pose";
import type { Stage } from "../view/stage";
import { distanceOf, eyeOf } from "./eyes";
import { acceptRate } from "./frame_rate";
import { controllerOf, shake, type ShakingPad } from "./gamepads";

const HANDS: Hand[] = ["left", "right"];
type EyesMessage = Extract<Outgoing, { type: "eyes" }>;

export interface HeadsetEvents {
  began(rate: number | null): void;
  ended(): void;
}

export class Headset {
  /** The frames per second that the session has accepted; null: it tells none, or there is none. */
  rate: number | null = null;
  /** device_from_head of the newest frame, in WebXR's axes. */
  head: Pose | null = null;
  /** The right trigger presses something of the page: the server hears nothing of it. */
  triggerIsTaken = false;
  private session: XRSession | null = null;
  private eyesTold = "";

  constructor(
    private readonly stage: Stage,
    private readonly connection: Connection,
    private readonly events: HeadsetEvents,
  ) {}

  get active(): boolean {
    return this.session !== null;
  }

  /** Begin a session; call it from a tap or a click. Its rate is settled before the first frame. */
  async enter(wishedRate: number): Promise<void> {
    if (this.session || !navigator.xr) return;
    const session = await navigator.xr.requestSession("immersive-vr", {
      requiredFeatures: ["local-floor"],
      optionalFeatures: ["bounded-floor", "hand-tracking"],
    });
    session.addEventListener("end", () => this.ended(session));
    this.session = session;
    this.rate = await acceptRate(session, wishedRate);
    const { xr } = this.stage.renderer;
    xr.setReferenceSpaceType("local-floor");
    await xr.setSession(session);
    this.stage.meter.restart();
    this.stage.meter.expectedRate = this.rate ?? 0;
    session.addEventListener("frameratechange", () => this.stateRate(session.frameRate ?? null));
    this.introduce();
    this.events.began(this.rate);
  }

  async leave(): Promise<void> {
    await this.session?.end();
  }

  /** Tell a server that has just greeted us what it cannot know. */
  introduce(): void {
    if (!this.session) return;
    this.eyesTold = "";
    this.connection.send({ type: "vr", active: true, rate: this.rate });
  }

  /** Each frame: where head and hands are and what they press. */
  update(frame: XRFrame): void {
    const space = this.stage.renderer.xr.getReferenceSpace();
    const viewer = space && frame.getViewerPose(space);
    if (!this.session || !space || !viewer) {
      this.head = null;
      return;
    }
    this.head = poseFrom(viewer.transform);
    const device: Device = {
      t: this.connection.clock.fromPage(performance.now() / 1e3),
      head: this.head,
      left_hand: null,
      right_hand: null,
      left: null,
      right: null,
    };
    for (const source of this.session.inputSources) this.addHand(device, source, frame, space);
    if (this.triggerIsTaken && device.right) {
      device.right.trigger = 0;
      device.right.buttons[0] = false;
    }
    this.connection.sendFresh({ type: "device", ...device });
    this.tellEyes(viewer);
  }

  shake(hand: Hand, amplitude: number, seconds: number): void {
    for (const source of this.session?.inputSources ?? []) {
      if (source.handedness === hand && source.gamepad) {
        shake(source.gamepad as unknown as ShakingPad, amplitude, seconds);
      }
    }
  }

  private addHand(device: Device, source: XRInputSource, frame: XRFrame, space: XRReferenceSpace): void {
    const hand = HANDS.find((name) => name === source.handedness);
    if (!hand) return;
    // The grip, where a tool is held: the pointing ray is tilted against it.
    const grip = source.gripSpace && frame.getPose(source.gripSpace, space);
    if (grip) device[`${hand}_hand`] = poseFrom(grip.transform);
    if (source.gamepad) device[hand] = controllerOf(source.gamepad) satisfies Controller;
  }

  private tellEyes(viewer: XRViewerPose): void {
    const layer = this.session?.renderState.baseLayer;
    const byEye = (name: XREye) => viewer.views.find((view) => view.eye === name);
    const [left, right] = [byEye("left"), byEye("right")];
    if (!left || !right) return;
    const message: EyesMessage = {
      type: "eyes",
      left: eyeOf(left, layer?.getViewport(left) ?? { width: 1024, height: 1024 }),
      right: eyeOf(right, layer?.getViewport(right) ?? { width: 1024, height: 1024 }),
      distance: distanceOf(poseFrom(left.transform), poseFrom(right.transform)),
    };
    const told = JSON.stringify(message, rounded);
    if (told !== this.eyesTold && this.connection.send(message)) this.eyesTold = told;
  }

  private stateRate(rate: number | null): void {
    this.rate = rate;
    this.stage.meter.expectedRate = rate ?? 0;
    this.introduce();
  }

  private ended(session: XRSession): void {
    if (this.session !== session) return;
    this.session = null;
    this.head = null;
    this.rate = null;
    this.eyesTold = "";
    this.connection.send({ type: "vr", active: false, rate: null });
    this.stage.meter.restart();
    this.stage.meter.expectedRate = 0;
    // three.js has not yet let go of the canvas when the session ends.
    setTimeout(() => this.stage.resize());
    this.events.ended();
  }
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value;
}

export function poseFrom({ position: p, orientation: q }: XRRigidTransform): Pose {
  return [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
}
