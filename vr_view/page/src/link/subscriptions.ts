// Which topics the page wants beyond what the server sends by itself, and how often.
import type { Connection } from "./connection";

export class Subscriptions {
  private readonly wanted = new Map<string, Map<object, number>>();

  constructor(private readonly connection: Connection) {}

  /** `who` wants so many messages per second of a topic; 0: no longer. The highest wish counts. */
  want(who: object, topic: string, rate: number): void {
    const wishes = this.wanted.get(topic) ?? new Map<object, number>();
    if (rate > 0) wishes.set(who, rate);
    else wishes.delete(who);
    this.wanted.set(topic, wishes);
    this.tell([topic]);
  }

  /** After a new connection the server knows of nothing. */
  again(): void {
    this.tell([...this.wanted.keys()].filter((topic) => this.rateOf(topic) > 0));
  }

  private rateOf(topic: string): number {
    return Math.max(0, ...(this.wanted.get(topic)?.values() ?? []));
  }

  private tell(topics: string[]): void {
    const offered = new Set(this.connection.hello?.topics.map((offer) => offer.topic));
    const known = topics.filter((topic) => offered.has(topic));
    if (!known.length) return;
    const rates = Object.fromEntries(known.map((topic) => [topic, this.rateOf(topic)]));
    this.connection.send({ type: "subscribe", topics: rates });
  }
}
