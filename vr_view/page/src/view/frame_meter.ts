// How the page keeps up: frames per second, milliseconds of script and drawing, frames left out.

const KEPT = 240;

export class FrameMeter {
  skipped = 0;
  /** The display's own rate; where it is not known (0) nothing counts as skipped. */
  expectedRate = 0;
  private starts: number[] = [];
  private costs: number[] = [];

  /** A frame that began at `time` took `cost`, both in milliseconds. */
  add(time: number, cost: number): void {
    const last = this.starts.at(-1);
    if (last !== undefined && this.expectedRate > 0) {
      const missed = Math.round(((time - last) * this.expectedRate) / 1e3) - 1;
      // A page in the background draws nothing, and that is no skipping.
      if (missed > 0 && time - last < 1e3) this.skipped += missed;
    }
    this.starts.push(time);
    this.costs.push(cost);
    if (this.starts.length > KEPT) {
      this.starts.shift();
      this.costs.shift();
    }
  }

  restart(): void {
    this.starts = [];
    this.costs = [];
  }

  get rate(): number | null {
    const span = (this.starts.at(-1) ?? 0) - (this.starts[0] ?? 0);
    return span > 0 ? ((this.starts.length - 1) * 1e3) / span : null;
  }

  get medianCost(): number | null {
    const sorted = [...this.costs].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? null;
  }
}
