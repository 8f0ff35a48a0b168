// How wrong the estimate is now, at the foot of the page, with the colours' meaning.
import type { Topics } from "../link/topics";
import { SETPOINT, TRAJECTORY } from "../overlays/flight_plan";
import { COLOURS } from "../overlays/overlays";
import { MAGNIFIED } from "../overlays/pose_mark";
import { element, Readings } from "./dom";

const STALE_AFTER = 1500; // ms without a new value: then there is none
const NUMBERS = ["Error", "x, y", "Yaw"];
const LEGEND: [string, "dot" | "line", ...number[]][] = [
  ["estimate", "dot", COLOURS.estimate],
  ["reference", "dot", COLOURS.reference],
  ["laser", "dot", COLOURS.scan],
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
  private readonly heard = { estimate: -Infinity, reference: -Infinity, error: -Infinity };
  private paused = false;
  private connected = false;

  constructor(place: HTMLElement, topics: Topics) {
    place.append(this.readings.element, this.why, legend());
    topics.on("error", (error) => {
      const millimetres = (value: number) => `${(value * 1e3).toFixed(1)} mm`;
      const yaw = error.yaw === null ? "unknown" : `${((error.yaw * 180) / Math.PI).toFixed(2)}°`;
      this.readings.set("Error", millimetres(error.distance));
      this.readings.set("x, y", `${(error.x * 1e3).toFixed(1)}, ${millimetres(error.y)}`);
      this.readings.set("Yaw", yaw);
      this.hear("error");
      this.look();
    });
    topics.on("estimate", ({ topic }) => topic.endsWith("/ground_truth/pose") && this.hear("estimate"));
    topics.on("odometry", ({ topic }) => topic.endsWith("/reference/target") && this.hear("reference"));
    topics.on("simulator", ({ paused }) => (this.paused = paused ?? false));
    topics.on("status", (status) => {
      if (status.topic.endsWith("/ground_truth/status")) this.readings.set("Target", status.text);
    });
    this.disconnected();
    setInterval(() => this.look(), STALE_AFTER / 3);
  }

  greeted(): void {
    this.connected = true;
    this.look();
  }

  disconnected(): void {
    this.connected = this.paused = false;
    for (const each of ["estimate", "reference", "error"] as const) this.heard[each] = -Infinity;
    this.look();
    this.readings.set("Target", "–");
  }

  private hear(what: "estimate" | "reference" | "error"): void {
    this.heard[what] = performance.now();
  }

  /** No value is shown that nobody vouches for, but what is missing. */
  private look(): void {
    const isFresh = this.isFresh("error");
    if (!isFresh) for (const name of NUMBERS) this.readings.set(name, "–");
    this.why.hidden = isFresh;
    this.why.textContent = this.reason();
  }

  /** While the simulator stands still, its last value holds. */
  private isFresh(what: "estimate" | "reference" | "error"): boolean {
    const at = this.heard[what];
    return this.paused ? at > -Infinity : performance.now() - at < STALE_AFTER;
  }

  private reason(): string {
    if (!this.connected) return "No error: not connected.";
    const missing = [
      this.isFresh("estimate") ? "" : "estimate (/ground_truth/pose)",
      this.isFresh("reference") ? "" : "reference (/reference/target)",
    ].filter(Boolean);
    if (missing.length) return `No error: there is no ${missing.join(" and no ")}.`;
    return "No error: the times of estimate and reference do not meet.";
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
