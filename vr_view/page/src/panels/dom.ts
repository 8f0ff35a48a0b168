// Small helpers to make HTML elements.

type Child = Node | string;

interface Options {
  class?: string;
  title?: string;
  id?: string;
  text?: string;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: Options = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (options.class) made.className = options.class;
  if (options.title) made.title = options.title;
  if (options.id) made.id = options.id;
  if (options.text !== undefined) made.textContent = options.text;
  made.append(...children);
  return made;
}

export function button(text: string, title: string, action: () => void, style = ""): HTMLButtonElement {
  const made = element("button", { text, title, class: style });
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

export function row(...children: Child[]): HTMLDivElement {
  return element("div", { class: "row" }, ...children);
}

export function labelled(label: string, control: HTMLElement): HTMLLabelElement {
  return element("label", {}, element("span", { text: label }), control);
}

/** A drop-down list; `names` gives value and what is shown. */
export function choice(names: [string, string][], action: (value: string) => void): HTMLSelectElement {
  const made = element("select");
  for (const [value, shown] of names) {
    const option = element("option", { text: shown });
    option.value = value;
    made.append(option);
  }
  made.addEventListener("change", () => action(made.value));
  return made;
}

export function slider(min: number, max: number, step: number, value: number): HTMLInputElement {
  const made = element("input");
  Object.assign(made, { type: "range", min, max, step, value: String(value) });
  return made;
}

export function checkbox(checked: boolean, action: (on: boolean) => void): HTMLInputElement {
  const made = element("input");
  made.type = "checkbox";
  made.checked = checked;
  made.addEventListener("change", () => action(made.checked));
  return made;
}

/** A table of names and values, filled by `set`; `brief`: one line each, the whole text in its title. */
export class Readings {
  readonly element: HTMLElement;
  private readonly values = new Map<string, HTMLElement>();

  constructor(private readonly brief = false) {
    this.element = element("dl", { class: brief ? "readings brief" : "readings" });
  }

  set(name: string, value: string): void {
    let shown = this.values.get(name);
    if (!shown) {
      shown = element("dd");
      this.values.set(name, shown);
      this.element.append(element("dt", { text: name }), shown);
    }
    if (shown.textContent === value) return;
    shown.textContent = value;
    if (this.brief) shown.title = value;
  }

  clear(): void {
    this.values.clear();
    this.element.replaceChildren();
  }
}
