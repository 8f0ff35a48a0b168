// Renderer, cameras and the loop. ROS's axes end here: `world` is the one node that turns z up to y up.
import {
  ColorManagement,
  Group,
  LinearSRGBColorSpace,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { FrameMeter } from "./frame_meter";

// Lights and colours are multiplied as they stand in the files, as Gazebo and the simulator do.
ColorManagement.enabled = false;

/** Whether there is no graphics processor: then smooth edges would cost a third of the frames. */
function drawsInSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(probe?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}

export type BeforeFrame = (seconds: number, frame: XRFrame | undefined) => void;

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  /** Everything in the map's axes (x forward, y left, z up). */
  readonly world = new Group();
  /** Where the device's floor space stands in the map, in WebXR's axes: headset and hands below it. */
  readonly rig = new Group();
  readonly camera = new PerspectiveCamera(55, 1, 0.03, 200);
  readonly xrCamera = new PerspectiveCamera(70, 1, 0.03, 200);
  readonly controls: OrbitControls;
  readonly meter = new FrameMeter();
  /** Look through the rig's camera without a session: a phone that is turned about. */
  throughRig = false;
  /** Draws instead of the flat view, such as two halves for a cardboard viewer. */
  drawInstead: ((camera: PerspectiveCamera) => void) | null = null;
  private readonly before: BeforeFrame[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !drawsInSoftware(), powerPreference: "high-performance" });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.xr.enabled = true;
    this.world.rotation.x = -Math.PI / 2;
    this.scene.add(this.world, this.camera);
    this.world.add(this.rig);
    this.rig.add(this.xrCamera);
    this.camera.position.set(2.6, 4.2, 2.6);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.set(0, 0.3, -2);
    this.controls.maxDistance = 60;
    this.controls.zoomSpeed = 0.8;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.resize();
  }

  onFrame(callback: BeforeFrame): void {
    this.before.push(callback);
  }

  start(): void {
    this.renderer.setAnimationLoop((time, frame) => this.draw(time, frame));
  }

  get isPresenting(): boolean {
    return this.renderer.xr.isPresenting;
  }

  /** Fit the canvas to its place; a session has a size of its own. */
  resize(): void {
    if (this.isPresenting) return;
    const place = this.canvas.parentElement ?? this.canvas;
    const width = Math.max(1, place.clientWidth);
    const height = Math.max(1, place.clientHeight);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    for (const camera of [this.camera, this.xrCamera]) {
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
    }
  }

  private draw(time: number, frame: XRFrame | undefined): void {
    const began = performance.now();
    if (!this.isPresenting && !this.throughRig) this.controls.update();
    for (const callback of this.before) callback(time / 1e3, frame);
    const camera = this.isPresenting || this.throughRig ? this.xrCamera : this.camera;
    if (this.drawInstead && !this.isPresenting) this.drawInstead(camera);
    else this.renderer.render(this.scene, camera);
    this.meter.add(time, performance.now() - began);
  }
}
