// "Enter VR", and what stands in for it where there is no headset.
import type { Headset } from "../xr/headset";
import type { PhoneView } from "../xr/phone_view";
import { vrSupport } from "../xr/support";
import { button, element } from "./dom";
import type { Notice } from "./notice";

const WISHED_RATE = 90; // frames per second, where the headset offers it

export class VrEntry {
  readonly element = element("span", { class: "entry" });
  private readonly enter = button("Enter VR", "See the room in the headset", () => void this.toggle(), "primary");
  private readonly phone: HTMLButtonElement[];
  private readonly why = button("Why no VR?", "Why there is no VR here", () => this.explain());
  private reason = "";

  constructor(
    private readonly headset: Headset,
    private readonly phoneView: PhoneView,
    private readonly notice: Notice,
  ) {
    this.phone = [
      button("Look around", "Turn the phone to look about", () => void this.usePhone(false)),
      button("Cardboard", "Two pictures side by side for a cardboard viewer", () => void this.usePhone(true)),
    ];
    this.element.append(...this.phone, this.why, this.enter);
    for (const part of [this.enter, this.why]) part.hidden = true;
    const isHandheld = matchMedia("(pointer: coarse)").matches;
    for (const each of this.phone) each.hidden = !isHandheld;
    void this.look();
    navigator.xr?.addEventListener?.("devicechange", () => void this.look());
  }

  /** A session has begun or ended. */
  refresh(): void {
    this.enter.textContent = this.headset.active ? "Leave VR" : "Enter VR";
  }

  private async look(): Promise<void> {
    const support = await vrSupport({
      isSecure: isSecureContext,
      host: location.hostname,
      port: location.port,
      xr: navigator.xr,
    });
    this.enter.hidden = !support.ok;
    this.why.hidden = support.ok;
    if (support.ok) return;
    this.reason = support.text;
    // A plain page over the network is a mistake that can be mended; no headset is not.
    if (support.why === "insecure") this.explain();
  }

  private explain(): void {
    this.notice.show("vr", this.reason);
  }

  private async toggle(): Promise<void> {
    if (this.headset.active) return this.headset.leave();
    try {
      await this.headset.enter(WISHED_RATE);
    } catch (error) {
      this.notice.show("vr", `The headset did not begin: ${(error as Error).message}`, true);
    }
  }

  private async usePhone(twoEyes: boolean): Promise<void> {
    if (this.phoneView.active) {
      this.phoneView.leave();
    } else {
      const refusal = await this.phoneView.enter(twoEyes);
      if (refusal) return this.notice.show("vr", `Looking around does not work: ${refusal}.`, true);
    }
    const { active } = this.phoneView;
    this.phone[0]!.textContent = active ? "Stop" : "Look around";
    this.phone[1]!.hidden = active;
    document.body.classList.toggle("cardboard", active && twoEyes);
  }
}
