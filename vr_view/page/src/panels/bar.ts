// The line at the top: what this is, whether it is connected, and as what.
import type { Hello } from "../link/protocol";
import { element } from "./dom";

export class Bar {
  private readonly state = element("span", { class: "state", text: "connecting" });

  constructor(place: HTMLElement, ...more: HTMLElement[]) {
    place.append(element("h1", { text: "Truthbed" }), this.state, element("span", { class: "space" }), ...more);
  }

  connected(hello: Hello): void {
    this.state.textContent = hello.role === "guest" ? "connected, looking only" : "connected";
    this.state.classList.add("on");
  }

  lost(): void {
    this.state.textContent = "not connected";
    this.state.classList.remove("on");
  }
}
