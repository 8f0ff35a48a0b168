// Puts the parts together.
import { TfTree } from "./core/tf_tree";
import { Connection } from "./link/connection";
import { DronePresence } from "./link/drone_presence";
import type { Hello } from "./link/protocol";
import { Subscriptions } from "./link/subscriptions";
import { takeTransforms } from "./link/transforms";
import { FlightPlan } from "./overlays/flight_plan";
import { Overlays } from "./overlays/overlays";
import { Bar } from "./panels/bar";
import { CamerasPanel } from "./panels/cameras";
import { DronePanel } from "./panels/drone";
import { LatencyPanel } from "./panels/latency";
import { Notice } from "./panels/notice";
import { Readout } from "./panels/readout";
import { Side } from "./panels/side";
import { SimulatorPanel } from "./panels/simulator";
import { ViewPanel } from "./panels/view";
import { VrEntry } from "./panels/vr_entry";
import { SceneHost } from "./scene_host";
import { FloorPicker } from "./view/floor_picker";
import { FollowCamera } from "./view/follow_camera";
import { PilotView } from "./view/pilot_view";
import { Stage } from "./view/stage";
import { HandPanel } from "./xr/hand_panel";
import { addHands } from "./xr/hands";
import { Headset } from "./xr/headset";
import { PhoneView } from "./xr/phone_view";
import { StereoVideo } from "./xr/stereo_video";
import { VideoFeed } from "./xr/video_feed";

function place<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found as T;
}

function newSession(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  return [...numbers].map((number) => number.toString(16).padStart(8, "0")).join("");
}

function newStage(): Stage {
  try {
    return new Stage(canvas);
  } catch (error) {
    notice.show("webgl", "This browser draws nothing in 3D: WebGL 2 is switched off or missing.", true);
    throw error;
  }
}

const canvas = place<HTMLCanvasElement>("view");
const notice = new Notice(place("notice"));
const stage = newStage();
const tf = new TfTree();
const connection = new Connection(newSession(), { hello: greeted, lost, haptics: shaken, error: told });
const subscriptions = new Subscriptions(connection);
takeTransforms(connection.topics, tf);
connection.topics.on("status", ({ topic, values }) => {
  if (topic.endsWith("/viewpoint/options")) pilot.viewpoint.take(values);
});

const scene = new SceneHost(stage, tf, (text) => notice.show("scene", text));
const presence = new DronePresence(connection.topics, () => drone.look());
const overlays = new Overlays(connection.topics, tf, connection.pace);
const flightPlan = new FlightPlan();
const video = new StereoVideo();
stage.world.add(overlays.object, flightPlan.object);
stage.scene.add(video.object);
addHands(stage);
const handPanel = new HandPanel(stage, connection, presence);

const pilot = new PilotView(stage, tf);
const follow = new FollowCamera(stage, tf);
const phone = new PhoneView(stage, connection);
const headset = new Headset(stage, connection, { began: sessionChanged, ended: sessionChanged });
const feed = new VideoFeed(connection.topics, subscriptions, video);

const readout = new Readout(place("readout"), connection);
const entry = new VrEntry(headset, phone, notice);
const bar = new Bar(place("bar"), entry.element);
const simulator = new SimulatorPanel(connection);
const drone = new DronePanel(connection, presence, flightPlan, new FloorPicker(stage, canvas));
const cameras = new CamerasPanel(connection, subscriptions);
const latency = new LatencyPanel(connection, stage.meter);
const view = new ViewPanel({
  connection,
  overlays,
  follow,
  viewpoint: pilot.viewpoint,
  video,
  recentre: () => pilot.recentre(),
  videoChosen: (choice) => feed.choose(choice),
});
new Side(place("side"), [view, simulator, drone, cameras, latency]);
let server: string | null = null;

function greeted(hello: Hello): void {
  notice.hide("link");
  readout.greeted();
  bar.connected(hello);
  simulator.offer(hello.actions);
  presence.begin(hello.drone);
  drone.offer(hello.actions, hello.drone);
  cameras.connected();
  subscriptions.again();
  headset.introduce();
  if (server !== hello.server) void loadScene();
  server = hello.server;
}

/** Nothing that was told before stays: neither poses nor pictures nor what may be done. */
function lost(text: string, final: boolean): void {
  tf.clear();
  overlays.clear();
  video.clear();
  cameras.lost();
  readout.disconnected();
  handPanel.clear();
  latency.clear();
  simulator.offer([]);
  drone.offer([]);
  bar.lost();
  notice.show("link", text, true, final ? ["Try again", () => connection.connect()] : undefined);
}

function shaken({ hand, amplitude, seconds }: { hand: "left" | "right"; amplitude: number; seconds: number }): void {
  headset.shake(hand, amplitude, seconds);
}

function told(text: string): void {
  notice.show("server", text);
}

function sessionChanged(): void {
  latency.headsetRate = headset.rate;
  entry.refresh();
}

async function loadScene(): Promise<void> {
  try {
    await scene.load();
    presence.setModels(scene.document?.models.map((model) => model.name) ?? []);
    const robots = scene.document?.models.filter((model) => !model.static) ?? [];
    view.setRobots(
      robots.flatMap((model): [string, string][] => {
        const root = model.links.find((link) => link.name === model.root);
        return root?.frame ? [[model.name, root.frame]] : [];
      }),
    );
  } catch (error) {
    notice.show("scene", `The scene cannot be shown: ${String(error)}`, true, ["Try again", () => void loadScene()]);
  }
}

stage.onFrame((seconds, frame) => {
  if (frame) {
    handPanel.update();
    headset.triggerIsTaken = handPanel.isAimedAt;
    headset.update(frame);
  }
  phone.update(seconds);
  const head = headset.head ?? phone.head;
  if (head) pilot.update(head, seconds);
  if (phone.head) pilot.turnCamera(phone.head);
  if (!stage.isPresenting && !stage.throughRig) follow.update();
  scene.place();
  overlays.place();
});
stage.start();
connection.connect();
