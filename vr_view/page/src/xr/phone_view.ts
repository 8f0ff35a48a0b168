// A phone as a window into the room, or in a cardboard viewer: where there is no WebXR.
import type { Pose } from "../core/pose";
import type { Connection } from "../link/connection";
import type { Stage } from "../view/stage";
import { Cardboard } from "./cardboard";
import { PhoneOrientation } from "./orientation";

const MOST_PER_SECOND = 60;

export class PhoneView {
  private readonly orientation = new PhoneOrientation();
  private readonly cardboard: Cardboard;
  private told = 0;
  active = false;

  constructor(
    private readonly stage: Stage,
    private readonly connection: Connection,
  ) {
    this.cardboard = new Cardboard(stage);
  }

  get head(): Pose | null {
    return this.active ? this.orientation.head : null;
  }

  /** Call it from a tap. Resolves with why not, or null. */
  async enter(twoEyes: boolean): Promise<string | null> {
    const refusal = await this.orientation.start();
    if (refusal) return refusal;
    this.active = true;
    this.stage.throughRig = true;
    this.stage.drawInstead = twoEyes ? (camera) => this.cardboard.draw(camera) : null;
    if (twoEyes) await document.documentElement.requestFullscreen?.().catch(() => undefined);
    return null;
  }

  leave(): void {
    this.active = false;
    this.orientation.stop();
    this.stage.throughRig = false;
    this.stage.drawInstead = null;
    if (document.fullscreenElement) void document.exitFullscreen();
    this.stage.resize();
  }

  /** Each frame: the server hears where the head is. */
  update(seconds: number): void {
    const { head } = this;
    if (!head || seconds - this.told < 1 / MOST_PER_SECOND - 2e-3) return;
    this.told = seconds;
    const t = this.connection.clock.fromPage(performance.now() / 1e3);
    const none = { left_hand: null, right_hand: null, left: null, right: null };
    this.connection.sendFresh({ type: "device", t, head, ...none });
  }
}
