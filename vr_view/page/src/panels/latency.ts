// How fresh what is seen is: on the way, in the page, and where frames were left out.
import type { Connection } from "../link/connection";
import type { FrameMeter } from "../view/frame_meter";
import { element, Readings } from "./dom";
import { panelOf, type Panel } from "./side";

const EVERY = 1000; // ms
const COUNTED: [RegExp, string][] = [
  [/^viewpoint missed$/, "deadlines"],
  [/^viewpoint skipped$/, "viewpoints"],
  [/ skipped frames$/, "frames"],
];

export class LatencyPanel implements Panel {
  readonly name = "Latency";
  readonly element: HTMLElement;
  /** The rate that a headset has accepted; null without. */
  headsetRate: number | null = null;
  private readonly page = new Readings();
  private readonly server = new Readings();

  constructor(
    private readonly connection: Connection,
    private readonly meter: FrameMeter,
  ) {
    this.element = panelOf(
      element("h2", { text: "This page" }),
      this.page.element,
      element("h2", { text: "Server" }),
      this.server.element,
    );
    connection.topics.on("latency", ({ values }) => {
      const own = ownPage(connection.hello?.session);
      for (const [name, value] of Object.entries(values)) this.server.set(...withUnit(own(name), value));
    });
    setInterval(() => this.update(), EVERY);
  }

  clear(): void {
    this.server.clear();
  }

  private update(): void {
    const roundTrip = this.connection.connected ? this.connection.clock.roundTrip : null;
    const { rate, medianCost, skipped } = this.meter;
    const show = (value: number | null, unit: string, digits = 1) =>
      value === null ? "–" : `${value.toFixed(digits)} ${unit}`;
    this.page.set("Round trip", show(roundTrip, "ms"));
    this.page.set("Script and render", show(medianCost, "ms"));
    this.page.set("Frames", show(rate, "per s", 0));
    this.page.set("Skipped frames", String(skipped));
    this.page.set("Headset accepted", this.headsetRate === null ? "–" : `${this.headsetRate} per s`);
    this.connection.send({ type: "report", round_trip: roundTrip, render: medianCost, rate, skipped });
  }
}

/** What the server calls by the beginning of a session's name is "this page" where it is ours, else another. */
export function ownPage(session = ""): (name: string) => string {
  return (name) =>
    name.replace(/^page (\S+)/, (_, page: string) => (session.startsWith(page) ? "this page:" : `other page ${page}:`));
}

/** A number with its unit, which its name ends with or which is what it counts. */
export function withUnit(name: string, value: string): [string, string] {
  const found = /^(.*)_(ms|hz)$/.exec(name);
  const isNumber = value !== "" && Number.isFinite(Number(value));
  const words = (found?.[1] ?? name).replaceAll("_", " ");
  const counted = COUNTED.find(([pattern]) => pattern.test(words))?.[1];
  if (counted && isNumber) return [words, `${Number(value)} ${counted}`];
  if (!found || !isNumber) return [words, value];
  return [words, `${Number(value).toFixed(1)} ${found[2] === "ms" ? "ms" : "per s"}`];
}
