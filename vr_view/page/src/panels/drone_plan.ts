// Setpoints by a click, trajectories by drawing, both at a height above the floor.
import type { Vector } from "../core/pose";
import type { FlightPlan } from "../overlays/flight_plan";
import type { FloorPicker } from "../view/floor_picker";
import type { Answers } from "./answers";
import { button, element, labelled, row, slider } from "./dom";

const LEAST_STEP = 0.15; // m between points that are drawn along
const MOST_POINTS = 1000;

type Tool = "setpoint" | "trajectory";

export class DronePlan {
  readonly element: HTMLElement;
  private readonly height = slider(0.2, 4, 0.1, 1.2);
  private readonly tools: Record<Tool, HTMLButtonElement>;
  private tool: Tool | null = null;
  private points: Vector[] = [];

  constructor(
    private readonly answers: Answers,
    private readonly plan: FlightPlan,
    private readonly picker: FloorPicker,
  ) {
    const shown = element("output", { text: "1.2 m" });
    this.height.addEventListener("input", () => (shown.textContent = `${Number(this.height.value).toFixed(1)} m`));
    const height = labelled("Height", this.height);
    height.append(shown);
    this.tools = {
      setpoint: button("Set by click", "Click in the room: the drone goes there", () => this.use("setpoint")),
      trajectory: button("Draw", "Click corners or draw along; the view stands still meanwhile", () =>
        this.use("trajectory"),
      ),
    };
    answers.needs(this.tools.setpoint, "drone.setpoint");
    answers.needs(this.tools.trajectory, "drone.trajectory");
    const release = button("Release", "No longer hold the drone at the setpoint", () => void this.release());
    answers.needs(release, "drone.release_setpoint");
    const fly = button("Fly it", "Fly along what is drawn", () => void this.fly(), "primary");
    answers.needs(fly, "drone.trajectory");
    const clear = button("Clear", "Forget what is drawn", () => this.draw([]));
    this.element = element(
      "div",
      { class: "stack" },
      height,
      element("h2", { text: "Setpoint" }),
      row(this.tools.setpoint, release),
      element("h2", { text: "Trajectory" }),
      row(this.tools.trajectory, fly, clear),
    );
  }

  /** Nothing is picked while the panel is closed. */
  stop(): void {
    this.tool = null;
    this.picker.use(null);
    for (const each of Object.values(this.tools)) each.setAttribute("aria-pressed", "false");
  }

  forget(): void {
    this.stop();
    this.plan.showSetpoint(null);
  }

  private use(tool: Tool): void {
    const again = this.tool === tool;
    this.stop();
    if (again) return;
    this.tool = tool;
    this.tools[tool].setAttribute("aria-pressed", "true");
    const height = () => Number(this.height.value);
    if (tool === "setpoint") this.picker.use({ height, picked: (point) => void this.go(point) });
    else {
      this.picker.use({
        height,
        picked: (point) => this.draw([...this.points, point]),
        drawn: (point) => this.drawAlong(point),
      });
    }
  }

  private async go(point: Vector): Promise<void> {
    this.plan.showSetpoint(point);
    const result = await this.answers.act("Setpoint", "drone.setpoint", { position: point, yaw: null });
    if (!result.ok) this.plan.showSetpoint(null);
  }

  private async release(): Promise<void> {
    this.plan.showSetpoint(null);
    await this.answers.act("Release", "drone.release_setpoint");
  }

  private drawAlong(point: Vector): void {
    const last = this.points.at(-1);
    const step = last ? Math.hypot(point[0] - last[0], point[1] - last[1], point[2] - last[2]) : Infinity;
    if (step >= LEAST_STEP) this.draw([...this.points, point]);
  }

  private draw(points: Vector[]): void {
    this.points = points.slice(0, MOST_POINTS);
    this.plan.showTrajectory(this.points);
    if (this.points.length) this.answers.say(`${this.points.length} points`);
  }

  private async fly(): Promise<void> {
    if (!this.points.length) return this.answers.say("Draw a trajectory first.", "bad");
    this.stop();
    await this.answers.act("Trajectory", "drone.trajectory", { points: this.points });
  }
}
