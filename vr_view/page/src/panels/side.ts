// The tabs at the side: one panel open at a time, or none.
import { button, element } from "./dom";

export interface Panel {
  readonly name: string;
  readonly element: HTMLElement;
  /** Called when the panel comes into sight or goes. */
  shown?(visible: boolean): void;
}

export class Side {
  private open: Panel | null = null;
  private readonly tabs = element("div", { class: "tabs" });
  private readonly buttons = new Map<Panel, HTMLButtonElement>();

  constructor(
    private readonly place: HTMLElement,
    panels: Panel[],
  ) {
    this.tabs.setAttribute("role", "tablist");
    place.append(this.tabs);
    for (const panel of panels) {
      const tab = button(panel.name, `Open or close: ${panel.name}`, () => this.toggle(panel));
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", "false");
      this.buttons.set(panel, tab);
      this.tabs.append(tab);
    }
  }

  toggle(panel: Panel): void {
    const next = this.open === panel ? null : panel;
    this.open?.element.remove();
    this.open?.shown?.(false);
    if (next) {
      this.place.append(next.element);
      next.shown?.(true);
    }
    this.open = next;
    for (const [each, tab] of this.buttons) tab.setAttribute("aria-selected", String(each === next));
  }
}

export function panelOf(...children: (Node | string)[]): HTMLElement {
  return element("section", { class: "panel" }, ...children);
}
