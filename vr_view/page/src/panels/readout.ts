// How wrong the estimate is now, at the foot of the page, with the colours' meaning.
import type { Topics } from "../link/topics";
import { MAGNIFIED } from "../overlays/pose_mark";
import { element, Readings } from "./dom";

const STALE_AFTER = 1500; // ms without a new value: then there is none
const LEGEND: [string, string][] = [
  ["#ff5a4f", "estimate"],
  ["#4aa3ff", "reference"],
  ["#ffd166", "laser"],
];

export class Readout {
  private readonly readings = new Readings();
  private paused = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(place: HTMLElement, topics: Topics) {
    const legend = element("div", { class: "legend", title: `The ellipse holds 95 %, ${MAGNIFIED} times as large` });
    for (const [colour, text] of LEGEND) {
      const dot = element("i");
      dot.style.background = colour;
      legend.append(element("span", {}, dot, text));
    }
    place.append(this.readings.element, legend);
    this.clear();
    topics.on("error", (error) => {
      const millimetres = (value: number) => `${(value * 1e3).toFixed(1)} mm`;
      const yaw = error.yaw === null ? "unknown" : `${((error.yaw * 180) / Math.PI).toFixed(2)}°`;
      this.readings.set("Error", millimetres(error.distance));
      this.readings.set("x, y", `${(error.x * 1e3).toFixed(1)}, ${millimetres(error.y)}`);
      this.readings.set("Yaw", yaw);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.goStale(), STALE_AFTER);
    });
    topics.on("simulator", ({ paused }) => (this.paused = paused ?? false));
    topics.on("status", (status) => {
      if (status.topic.endsWith("/ground_truth/status")) this.readings.set("Target", status.text);
    });
  }

  /** No value is shown that nobody vouches for. */
  clear(): void {
    for (const name of ["Error", "x, y", "Yaw"]) this.readings.set(name, "–");
  }

  /** While the simulator stands still, its last value holds. */
  private goStale(): void {
    if (this.paused) this.timer = setTimeout(() => this.goStale(), STALE_AFTER);
    else this.clear();
  }

  disconnected(): void {
    this.paused = false;
    this.clear();
    this.readings.set("Target", "–");
  }
}
