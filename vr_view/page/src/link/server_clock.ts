// The server's clock as the page knows it: from the ping with the shortest round trip.

const KEPT = 20;

interface Sample {
  roundTrip: number;
  offset: number;
}

export class ServerClock {
  private samples: Sample[] = [];

  /** `sent` and `received` on the page's clock, `server` on the server's, all in seconds. */
  add(sent: number, received: number, server: number): void {
    const roundTrip = received - sent;
    this.samples.push({ roundTrip, offset: server - (sent + received) / 2 });
    if (this.samples.length > KEPT) this.samples.shift();
  }

  /** A rough start, before the first ping has come back. */
  start(received: number, server: number): void {
    this.samples = [{ roundTrip: Infinity, offset: server - received }];
  }

  private get best(): Sample | undefined {
    return this.samples.reduce<Sample | undefined>(
      (best, sample) => (best && best.roundTrip <= sample.roundTrip ? best : sample),
      undefined,
    );
  }

  /** Seconds of the server's clock for seconds of the page's. */
  fromPage(seconds: number): number {
    return seconds + (this.best?.offset ?? 0);
  }

  /** Milliseconds of the newest ping; null before the first. */
  get roundTrip(): number | null {
    const newest = this.samples.at(-1);
    return newest && Number.isFinite(newest.roundTrip) ? newest.roundTrip * 1e3 : null;
  }
}
