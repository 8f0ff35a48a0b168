// Puts the parts together.
import { TfTree } from "./core/tf_tree";
import { Connection } from "./link/connection";
import { takeTransforms } from "./link/transforms";
import { Overlays } from "./overlays/overlays";
import { Bar } from "./panels/bar";
import { Notice } from "./panels/notice";
import { Readout } from "./panels/readout";
import { Side } from "./panels/side";
import { SimulatorPanel } from "./panels/simulator";
import { SceneHost } from "./scene_host";
import { Stage } from "./view/stage";

function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
}

const session = crypto.randomUUID?.() ?? `page-${Math.random().toString(36).slice(2).padEnd(8, "0")}`;
const notice = new Notice(place("notice"));
const stage = new Stage(place("view") as HTMLCanvasElement);
const tf = new TfTree();
const scene = new SceneHost(stage, tf, (text) => notice.show("scene", text));
let server: string | null = null;

const connection = new Connection(session, {
  hello(hello) {
    notice.hide("link");
    bar.connected(hello);
    simulator.offer(hello.actions);
    if (server !== hello.server) void loadScene();
    server = hello.server;
  },
  lost(text, final) {
    tf.clear();
    overlays.clear();
    readout.disconnected();
    simulator.offer([]);
    bar.lost();
    notice.show("link", text, true, final ? ["Try again", () => connection.connect()] : undefined);
  },
  haptics() {},
  error(text) {
    notice.show("server", text);
  },
});

async function loadScene(): Promise<void> {
  try {
    await scene.load();
  } catch (error) {
    notice.show("scene", `The scene cannot be shown: ${String(error)}`, true, ["Try again", () => void loadScene()]);
  }
}

takeTransforms(connection.topics, tf);
const overlays = new Overlays(connection.topics, tf);
stage.world.add(overlays.object);
const readout = new Readout(place("readout"), connection.topics);
const bar = new Bar(place("bar"));
const simulator = new SimulatorPanel(connection);
new Side(place("side"), [simulator]);

stage.onFrame(() => {
  scene.place();
  overlays.place();
});
stage.start();
connection.connect();
