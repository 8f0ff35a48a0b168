// How fast the simulator's time goes by: what it sends comes as much later as it runs slower.
import type { Topics } from "./topics";

const SLOWEST = 0.01; // of real time: nothing is waited for longer than at this
const TOLD_BELOW = 0.9; // of real time

export class Pace {
  private paused = false;
  private factor: number | null = null;

  constructor(topics: Topics) {
    topics.on("simulator", ({ paused, factor }) => {
      this.paused = paused ?? false;
      // A message that tells only that it runs leaves open how fast.
      this.factor = factor ?? this.factor;
    });
  }

  clear(): void {
    this.paused = false;
    this.factor = null;
  }

  /** Milliseconds in which the simulator gets as far as it does in `span` at real time. */
  stretch(span: number): number {
    if (this.paused) return Infinity;
    return span / Math.min(1, Math.max(SLOWEST, this.factor ?? 1));
  }

  /** That it is slow; empty where it is not, or nobody knows. */
  get slowness(): string {
    if (this.factor === null || this.factor >= TOLD_BELOW) return "";
    return `the simulator runs at ${this.factor.toFixed(2)} of real time`;
  }
}
