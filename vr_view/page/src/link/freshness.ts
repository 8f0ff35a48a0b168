// Which values are new, which are late, and which have never come.
import type { Pace } from "./pace";

const STALE_AFTER = 1500; // ms at real time without a new value: then it is late

export class Freshness<What extends string> {
  private readonly heard = new Map<What, number>();

  constructor(
    readonly pace: Pace,
    private readonly now: () => number = () => performance.now(),
  ) {}

  hear(what: What): void {
    this.heard.set(what, this.now());
  }

  clear(): void {
    this.heard.clear();
  }

  hasCome(what: What): boolean {
    return this.heard.has(what);
  }

  /** While the simulator stands still, its last value holds. */
  isFresh(what: What): boolean {
    return this.silence(what) < this.pace.stretch(STALE_AFTER);
  }

  /** Whole seconds since the last value of that, of several since the one that is latest. */
  seconds(...whats: What[]): string {
    return `${Math.round(Math.max(...whats.map((what) => this.silence(what))) / 1e3)} s`;
  }

  private silence(what: What): number {
    return this.now() - (this.heard.get(what) ?? -Infinity);
  }
}
