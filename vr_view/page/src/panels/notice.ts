// One line that the user must see, with what can be done about it.
import { button, element } from "./dom";

export class Notice {
  private key = "";

  constructor(private readonly place: HTMLElement) {}

  /** A notice with the same key replaces the one before it. */
  show(key: string, text: string, fault = false, action?: [string, () => void]): void {
    this.key = key;
    const parts: Node[] = [element("span", { text })];
    if (action) parts.push(button(action[0], action[0], action[1]));
    parts.push(button("✕", "Close", () => this.hide(key)));
    this.place.replaceChildren(...parts);
    this.place.classList.toggle("fault", fault);
    this.place.hidden = false;
  }

  hide(key: string): void {
    if (this.key === key) this.place.hidden = true;
  }
}
