// Pause, step, reset and speed of the simulator.
import type { Connection } from "../link/connection";
import { Answers } from "./answers";
import { button, choice, labelled, Readings, row } from "./dom";
import { panelOf, type Panel } from "./side";

const SPEEDS: [string, string][] = [
  ["0.1", "0.1 ×"],
  ["0.25", "0.25 ×"],
  ["0.5", "0.5 ×"],
  ["1", "1 ×"],
  ["2", "2 ×"],
  ["5", "5 ×"],
  ["0", "as fast as possible"],
];

export class SimulatorPanel implements Panel {
  readonly name = "Simulator";
  readonly element: HTMLElement;
  private readonly answers: Answers;
  private readonly readings = new Readings();
  private readonly pause: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private paused = false;

  constructor(connection: Connection) {
    this.answers = new Answers(connection);
    this.pause = button("Pause", "Pause or go on", () => void this.togglePause());
    this.answers.needs(this.pause, "simulator.pause");
    this.speed = choice(SPEEDS, (factor) => {
      void this.answers.act("Speed", "simulator.speed", { factor: Number(factor) });
    });
    this.speed.value = "1";
    this.element = panelOf(
      row(
        this.pause,
        this.answers.button("Step", "One step of physics while paused", "simulator.step"),
        this.answers.button("Reset", "Everything back to where it began", "simulator.reset"),
      ),
      labelled("Speed", this.speed),
      this.readings.element,
      this.answers.element,
    );
    connection.topics.on("simulator", (state) => {
      this.setPaused(state.paused ?? false);
      const known = SPEEDS.some(([value]) => Number(value) === state.wished);
      if (state.wished !== null && known && document.activeElement !== this.speed) {
        this.speed.value = String(state.wished);
      }
      this.readings.set("Time", state.time === null ? "unknown" : `${state.time.toFixed(1)} s`);
      this.readings.set("Runs at", state.factor === null ? "unknown" : `${state.factor.toFixed(2)} × real time`);
      this.readings.set("State", state.paused ? "paused" : state.text || "running");
    });
  }

  offer(actions: readonly string[]): void {
    this.answers.offer(actions);
    this.speed.disabled = !actions.includes("simulator.speed");
    this.readings.clear();
  }

  private async togglePause(): Promise<void> {
    const on = !this.paused;
    const result = await this.answers.act(on ? "Pause" : "Go on", "simulator.pause", { on });
    if (result.ok) this.setPaused(on);
  }

  private setPaused(on: boolean): void {
    this.paused = on;
    this.pause.textContent = on ? "Go on" : "Pause";
    this.pause.setAttribute("aria-pressed", String(on));
  }
}
