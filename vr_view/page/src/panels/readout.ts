// How wrong the estimate is now, at the foot of the page, with the colours' meaning.
import { fixed } from "../core/numbers";
import type { Connection } from "../link/connection";
import { Freshness } from "../link/freshness";
import { SETPOINT, TRAJECTORY } from "../overlays/flight_plan";
import { COLOURS } from "../overlays/overlays";
import { MAGNIFIED } from "../overlays/pose_mark";
import { element, Readings } from "./dom";
import { whyNoError, type Told } from "./why_no_error";

const LOOK_EVERY = 500; // ms
const NUMBERS = ["Error", "x, y", "Yaw"];
const LEGEND: [string, "dot" | "line", ...number[]][] = [
  ["estimate", "dot", COLOURS.estimate],
  ["reference", "dot", COLOURS.reference],
  ["laser", "dot", COLOURS.scan],
  ["zone", "line", COLOURS.zone],
  ["trails", "line", COLOURS.estimate, COLOURS.reference, COLOURS.drone],
  ["trajectory", "line", TRAJECTORY],
  ["setpoint", "dot", SETPOINT],
];
const LEGEND_TITLE =
  `The ellipse holds 95 %, ${MAGNIFIED} times as large. ` +
  "Trails: where the estimate, the reference and the drone (green) were. Trajectory and setpoint: drawn for the drone.";

export class Readout {
  private readonly readings = new Readings();
  private readonly why = element("p", { class: "why" });
  private readonly freshness: Freshness<Told>;
  private target = "";
  private connected = false;

  constructor(place: HTMLElement, { topics, pace }: Connection) {
    this.freshness = new Freshness(pace);
    place.append(this.readings.element, this.why, legend());
    topics.on("error", (error) => {
      const millimetres = (value: number) => `${fixed(value * 1e3, 1)} mm`;
      const yaw = error.yaw === null ? "unknown" : `${fixed((error.yaw * 180) / Math.PI, 2)}°`;
      this.readings.set("Error", millimetres(error.distance));
      this.readings.set("x, y", `${fixed(error.x * 1e3, 1)}, ${millimetres(error.y)}`);
      this.readings.set("Yaw", yaw);
      this.freshness.hear("error");
      this.look();
    });
    topics.on("estimate", ({ topic }) => topic.endsWith("/ground_truth/pose") && this.freshness.hear("estimate"));
    topics.on("odometry", ({ topic }) => topic.endsWith("/reference/target") && this.freshness.hear("reference"));
    topics.on("status", (status) => {
      if (!status.topic.endsWith("/ground_truth/status")) return;
      this.target = status.text;
      this.freshness.hear("target");
      this.look();
    });
    this.disconnected();
    setInterval(() => this.look(), LOOK_EVERY);
  }

  greeted(): void {
    this.connected = true;
    this.look();
  }

  disconnected(): void {
    this.connected = false;
    this.freshness.clear();
    this.look();
  }

  /** No value is shown that nobody vouches for, but what is missing. */
  private look(): void {
    const isFresh = this.freshness.isFresh("error");
    if (!isFresh) for (const name of NUMBERS) this.readings.set(name, "–");
    this.why.hidden = isFresh;
    this.why.textContent = this.connected ? whyNoError(this.freshness) : "No error: not connected.";
    this.readings.set("Target", this.targetNow());
  }

  private targetNow(): string {
    if (!this.connected) return "–";
    if (!this.freshness.hasCome("target")) return "not told yet";
    if (this.freshness.isFresh("target")) return this.target;
    return `${this.target} (${this.freshness.seconds("target")} ago)`;
  }
}

function legend(): HTMLElement {
  const made = element("div", { class: "legend", title: LEGEND_TITLE });
  for (const [text, shape, ...colours] of LEGEND) {
    const mark = element("i", { class: shape });
    mark.style.background = stripes(colours.map((colour) => `#${colour.toString(16).padStart(6, "0")}`));
    made.append(element("span", {}, mark, text));
  }
  return made;
}

/** CSS of equal stripes side by side. */
function stripes(colours: string[]): string {
  const share = 100 / colours.length;
  const stops = colours.map((colour, k) => `${colour} ${k * share}% ${(k + 1) * share}%`);
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}
