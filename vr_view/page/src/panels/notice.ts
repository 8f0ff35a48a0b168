// Lines that the user must see, each with what can be done about it.
import { button, element } from "./dom";

export class Notice {
  private readonly lines = new Map<string, HTMLElement>();

  constructor(private readonly place: HTMLElement) {}

  /** A notice with the same key replaces the one before it. */
  show(key: string, text: string, fault = false, action?: [string, () => void]): void {
    const line = element("div", { class: fault ? "line fault" : "line" }, element("span", { text }));
    if (action) line.append(button(action[0], action[0], action[1]));
    line.append(button("✕", "Close", () => this.hide(key)));
    const old = this.lines.get(key);
    if (old) old.replaceWith(line);
    else this.place.append(line);
    this.lines.set(key, line);
    this.place.hidden = false;
  }

  hide(key: string): void {
    this.lines.get(key)?.remove();
    this.lines.delete(key);
    this.place.hidden = this.lines.size === 0;
  }
}
