// A panel on the left hand: what matters at one look, and the drone's buttons for the right hand's ray.
import { CanvasTexture, Group, Mesh, MeshBasicMaterial, PlaneGeometry, Raycaster, Vector3 } from "three";
import type { XRTargetRaySpace } from "three";
import { fixed } from "../core/numbers";
import type { Connection } from "../link/connection";
import { DronePresence, NO_DRONE } from "../link/drone_presence";
import { Freshness } from "../link/freshness";
import type { Stage } from "../view/stage";

const [WIDTH, HEIGHT] = [0.24, 0.2]; // m
const DENSITY = 2000; // pixels of the texture per metre
const [COLUMNS, BUTTONS_FROM, BUTTON_HEIGHT] = [3, 0.6, 0.2]; // parts of the panel's height
const FAR = 3; // m that the ray reaches
const REDRAW_EVERY = 200; // ms
const BUTTONS: [string, string, Record<string, unknown>][] = [
  ["Arm", "drone.arm", { on: true }],
  ["Take off", "drone.take_off", {}],
  ["Hover", "drone.hover", {}],
  ["Land", "drone.land", {}],
  ["Cancel", "drone.cancel", {}],
];

/** The button at a place of the panel, both from 0 (left, top) to 1; null: none. */
export function buttonAt(right: number, down: number): number | null {
  const row = Math.floor((down - BUTTONS_FROM) / BUTTON_HEIGHT);
  const index = row * COLUMNS + Math.floor(right * COLUMNS);
  return row >= 0 && right >= 0 && right < 1 && index < BUTTONS.length ? index : null;
}

export class HandPanel {
  private readonly object = new Group();
  private readonly canvas = document.createElement("canvas");
  private readonly texture = new CanvasTexture(this.canvas);
  private readonly plane: Mesh;
  private readonly raycaster = new Raycaster(undefined, undefined, 0, FAR);
  private readonly lines = new Map<string, string>();
  private pointer: XRTargetRaySpace | null = null;
  private aimed: number | null = null;
  private readonly freshness: Freshness<"error">;
  private drawnAt = -Infinity;

  constructor(
    private readonly stage: Stage,
    private readonly connection: Connection,
    private readonly presence: DronePresence,
  ) {
    this.freshness = new Freshness(connection.pace);
    Object.assign(this.canvas, { width: WIDTH * DENSITY, height: HEIGHT * DENSITY });
    this.plane = new Mesh(new PlaneGeometry(WIDTH, HEIGHT), new MeshBasicMaterial({ map: this.texture }));
    this.object.add(this.plane);
    // Above the fist, its face towards whoever looks down at the hand.
    this.plane.position.set(0, 0.12, -0.08);
    this.plane.rotation.x = -1.3;
    this.clear();
    this.attach();
    this.listen();
  }

  /** Whether the right hand points at the panel: its trigger then means nothing else. */
  get isAimedAt(): boolean {
    return this.aimed !== null;
  }

  clear(): void {
    for (const name of ["Mode", "Error", "Drone", "Battery"]) this.lines.set(name, "–");
    this.lines.set("", "");
    this.freshness.clear();
  }

  /** Once a frame of a session. */
  update(now = performance.now()): void {
    if (!this.object.parent) return;
    this.aimed = this.pointed();
    if (now - this.drawnAt < REDRAW_EVERY) return;
    this.tellLate();
    this.drawnAt = now;
    this.draw();
  }

  private tellLate(): void {
    const { freshness } = this;
    if (freshness.hasCome("error") && !freshness.isFresh("error")) {
      this.lines.set("Error", `nothing new for ${freshness.seconds("error")}`);
    }
    if (!this.presence.isThere) this.lines.set("Drone", NO_DRONE);
    else if (this.lines.get("Drone") === NO_DRONE) this.lines.set("Drone", "–");
  }

  private attach(): void {
    const { xr } = this.stage.renderer;
    for (const index of [0, 1]) {
      const grip = xr.getControllerGrip(index);
      grip.addEventListener("connected", ({ data }) => data.handedness === "left" && grip.add(this.object));
      grip.addEventListener("disconnected", () => this.object.parent === grip && grip.remove(this.object));
      const ray = xr.getController(index);
      ray.addEventListener("connected", ({ data }) => data.handedness === "right" && (this.pointer = ray));
      ray.addEventListener("disconnected", () => this.pointer === ray && (this.pointer = this.aimed = null));
      ray.addEventListener("selectstart", () => this.pointer === ray && void this.press());
    }
  }

  private listen(): void {
    const { topics } = this.connection;
    const ofDrone = (topic: string) => topic.startsWith(`/${this.connection.hello?.drone}/`);
    topics.on("text", ({ topic, text }) => topic.endsWith("/mode_state") && this.lines.set("Mode", text));
    topics.on("error", ({ distance }) => {
      this.freshness.hear("error");
      this.lines.set("Error", `${fixed(distance * 1e3, 1)} mm`);
    });
    topics.on("status", ({ topic, text }) => ofDrone(topic) && this.lines.set("Drone", text));
    topics.on("battery", ({ topic, remaining }) => {
      if (ofDrone(topic)) this.lines.set("Battery", remaining === null ? "unknown" : `${Math.round(100 * remaining)} %`);
    });
  }

  private pointed(): number | null {
    if (!this.pointer) return null;
    const { ray } = this.raycaster;
    ray.origin.setFromMatrixPosition(this.pointer.matrixWorld);
    ray.direction.copy(new Vector3(0, 0, -1).transformDirection(this.pointer.matrixWorld));
    const uv = this.raycaster.intersectObject(this.plane)[0]?.uv;
    return uv ? buttonAt(uv.x, 1 - uv.y) : null;
  }

  private async press(): Promise<void> {
    this.aimed = this.pointed();
    if (this.aimed === null) return;
    const [text, name, args] = BUTTONS[this.aimed]!;
    if (!this.offers(name)) return;
    this.lines.set("", `${text}…`);
    const result = await this.connection.act(name, args);
    this.lines.set("", `${text}: ${result.text || (result.ok ? "done" : "refused")}`);
  }

  private offers(name: string): boolean {
    return this.presence.isThere && (this.connection.hello?.actions.includes(name) ?? false);
  }

  private draw(): void {
    const context = this.canvas.getContext("2d")!;
    const { width, height } = this.canvas;
    context.fillStyle = "#121a23";
    context.fillRect(0, 0, width, height);
    context.font = "500 28px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    [...this.lines].forEach(([name, value], k) => {
      const down = 28 + 46 * k;
      context.fillStyle = "#9fb0c0";
      context.fillText(name, 16, down);
      context.fillStyle = "#e8eef4";
      context.fillText(value, name ? 140 : 16, down, width - (name ? 156 : 32));
    });
    BUTTONS.forEach(([text, name], k) => this.drawButton(context, k, text, this.offers(name)));
    this.texture.needsUpdate = true;
  }

  private drawButton(context: CanvasRenderingContext2D, index: number, text: string, isOffered: boolean): void {
    const { width, height } = this.canvas;
    const [wide, high] = [width / COLUMNS, BUTTON_HEIGHT * height];
    const [x, y] = [wide * (index % COLUMNS), BUTTONS_FROM * height + high * Math.floor(index / COLUMNS)];
    context.fillStyle = index === this.aimed && isOffered ? "#1f6fc4" : "#2b3743";
    context.fillRect(x + 5, y + 5, wide - 10, high - 10);
    context.fillStyle = isOffered ? "#ffffff" : "#66727d";
    context.textAlign = "center";
    context.fillText(text, x + wide / 2, y + high / 2, wide - 20);
  }
}
