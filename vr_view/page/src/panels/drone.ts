// The drone's panel: manoeuvres, setpoints, trajectories, files, telemetry.
import { fixed } from "../core/numbers";
import type { Connection } from "../link/connection";
import { NO_DRONE, type DronePresence } from "../link/drone_presence";
import type { FlightPlan } from "../overlays/flight_plan";
import type { FloorPicker } from "../view/floor_picker";
import { Answers } from "./answers";
import { button, element, Readings, row } from "./dom";
import { DroneFiles } from "./drone_files";
import { DronePlan } from "./drone_plan";
import { panelOf, type Panel } from "./side";

const MAIN = ["State", "Setpoint", "Battery", "Position"];
const YES_NO: Record<string, string> = { True: "yes", False: "no" };
const sentence = (key: string) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");

export class DronePanel implements Panel {
  readonly name = "Drone";
  readonly element: HTMLElement;
  private readonly answers: Answers;
  private readonly plan: DronePlan;
  private readonly main = new Readings(true);
  private readonly more = new Readings();
  private readonly flown = element("progress", { title: "How much of the trajectory is flown" });
  private readonly none = element("p", { class: "hint", text: `There is ${NO_DRONE}: nothing to fly.` });
  private drone = "drone";
  private actions: readonly string[] = [];

  constructor(
    connection: Connection,
    private readonly presence: DronePresence,
    flightPlan: FlightPlan,
    picker: FloorPicker,
  ) {
    this.answers = new Answers(connection);
    this.plan = new DronePlan(this.answers, flightPlan, picker);
    const files = new DroneFiles(connection, this.answers);
    this.none.hidden = true;
    this.element = panelOf(
      this.none,
      this.main.element,
      this.flown,
      this.manoeuvres(),
      this.modes(),
      this.answers.element,
      this.plan.element,
      element("h2", { text: "File" }),
      files.element,
      element("details", {}, element("summary", { text: "All that the drone tells" }), this.more.element),
    );
    Object.assign(this.flown, { max: 100, hidden: true });
    this.listen(connection);
  }

  offer(actions: readonly string[], drone = this.drone): void {
    this.drone = drone;
    this.actions = actions;
    this.look();
    for (const name of MAIN) this.main.set(name, "–");
    this.more.clear();
    this.flown.hidden = true;
    if (!actions.length) this.plan.forget();
  }

  /** Nothing is offered that no drone would do. */
  look(): void {
    const { isThere } = this.presence;
    this.none.hidden = isThere;
    this.answers.offer(isThere ? this.actions : []);
  }

  shown(visible: boolean): void {
    if (!visible) this.plan.stop();
  }

  private manoeuvres(): HTMLElement {
    const { answers } = this;
    return row(
      answers.button("Arm", "Let the motors run", "drone.arm", () => ({ on: true })),
      answers.button("Disarm", "Stop the motors on the ground", "drone.arm", () => ({ on: false })),
      answers.button("Take off", "Rise to the take-off height", "drone.take_off"),
      answers.button("Hover", "Stay where it is", "drone.hover"),
      answers.button("Land", "Come down where it is", "drone.land"),
      answers.button("Home", "Fly back and land", "drone.return_home"),
      answers.button("Cancel", "Break off what it does, and hover", "drone.cancel"),
    );
  }

  private modes(): HTMLElement {
    const name = element("input", { title: "One of the autopilot's flight modes" });
    name.type = "text";
    name.placeholder = "flight mode";
    name.setAttribute("aria-label", "Flight mode");
    const set = button("Set mode", "Change the flight mode", () => {
      void this.answers.act("Mode", "drone.mode", { name: name.value.trim() });
    });
    this.answers.needs(set, "drone.mode");
    return row(name, set);
  }

  private showFlight(setpoint: string): void {
    const percent = /^trajectory (\d+)\s*%/.exec(setpoint)?.[1];
    this.main.set("Setpoint", setpoint);
    this.flown.hidden = percent === undefined;
    this.flown.value = Number(percent ?? 0);
  }

  private listen({ topics }: Connection): void {
    const mine = (topic: string) => topic.startsWith(`/${this.drone}/`);
    topics.on("status", ({ topic, text, values }) => {
      if (!mine(topic)) return;
      this.main.set("State", text);
      this.showFlight(values["setpoint"] ?? "unknown");
      for (const [key, value] of Object.entries(values)) this.more.set(sentence(key), YES_NO[value] ?? value);
    });
    topics.on("battery", ({ topic, voltage, remaining }) => {
      if (!mine(topic)) return;
      const parts = [
        voltage === null ? "" : `${voltage.toFixed(1)} V`,
        remaining === null ? "" : `${Math.round(100 * remaining)} %`,
      ];
      this.main.set("Battery", parts.filter(Boolean).join(", ") || "unknown");
    });
    for (const kind of ["pose", "odometry"] as const) {
      topics.on(kind, ({ topic, pose }) => {
        if (!mine(topic)) return;
        const [x, y, z] = pose;
        this.main.set("Position", `${[x, y, z].map((value) => fixed(value, 2)).join(", ")} m`);
      });
    }
  }
}
