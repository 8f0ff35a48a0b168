// Actions and the server's answers to them, shown in one line.
import type { Connection } from "../link/connection";
import type { Result } from "../link/protocol";
import { button, element } from "./dom";

export class Answers {
  readonly element = element("p", { class: "answer" });
  private readonly buttons = new Map<HTMLButtonElement, string>();

  constructor(private readonly connection: Connection) {
    this.element.setAttribute("role", "status");
  }

  /** Do it and show what the server says of it. */
  async act(what: string, name: string, args: Record<string, unknown> = {}): Promise<Result> {
    this.say(`${what}…`);
    const result = await this.connection.act(name, args);
    const text = result.text || (result.ok ? "done" : "refused");
    this.say(`${what}: ${text}`, result.ok ? "good" : "bad");
    return result;
  }

  say(text: string, tone: "good" | "bad" | "" = ""): void {
    this.element.textContent = text;
    this.element.className = `answer ${tone}`;
  }

  /** A button for an action; it is off where the server offers us no such action. */
  button(text: string, title: string, name: string, args: () => Record<string, unknown> = () => ({})): HTMLButtonElement {
    const made = button(text, title, () => void this.act(text, name, args()));
    this.needs(made, name);
    return made;
  }

  /** `control` works only while the server offers the action. */
  needs(control: HTMLButtonElement, name: string): void {
    this.buttons.set(control, name);
    control.disabled = true;
  }

  /** What the server offers: nothing to a guest, and nothing while it is away. */
  offer(actions: readonly string[]): void {
    for (const [control, name] of this.buttons) control.disabled = !actions.includes(name);
  }
}
