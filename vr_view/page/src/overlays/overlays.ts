// What is drawn over the scene from topics: scan, markers, estimate, reference, trails.
import { Color, Group } from "three";
import { rotation, type Pose } from "../core/pose";
import type { TfTree } from "../core/tf_tree";
import type { MarkerShape, TopicMessage } from "../link/protocol";
import type { Pace } from "../link/pace";
import type { Topics } from "../link/topics";
import { HandMarks } from "./hand_marks";
import { MarkerLayer } from "./marker_layer";
import { PoseMark } from "./pose_mark";
import { ScanPoints } from "./scan_points";
import { Trail } from "./trail";

export const COLOURS = { estimate: 0xff5a4f, reference: 0x4aa3ff, scan: 0xffd166, drone: 0x5ee0a0, zone: 0xf2f2f2 };
const HAND = /\/viewpoint\/(left|right)_hand$/;
const POSE_LASTS = 1000; // ms in which a position alone replaces no pose
const TRAIL_HEIGHT = 0.012; // m above the floor

/** What a legend calls the parts, and how each is switched. */
export type Part = "scan" | "markers" | "estimate" | "reference" | "trails";

export class Overlays {
  readonly object = new Group();
  readonly parts: Record<Part, Group>;
  private readonly scans = new Map<string, ScanPoints>();
  private readonly markers = new Map<string, MarkerLayer>();
  private readonly trails = new Map<string, Trail>();
  private readonly estimate = new PoseMark(COLOURS.estimate, 0.004);
  private readonly reference = new PoseMark(COLOURS.reference);
  private readonly hands = new HandMarks();
  private lastPose = -Infinity;

  constructor(
    topics: Topics,
    private readonly tf: TfTree,
    private readonly pace: Pace,
  ) {
    this.parts = {
      scan: new Group(),
      markers: new Group(),
      estimate: new Group(),
      reference: new Group(),
      trails: new Group(),
    };
    this.object.add(...Object.values(this.parts), this.hands.object);
    this.parts.estimate.add(this.estimate.object);
    this.parts.reference.add(this.reference.object);
    this.listen(topics);
  }

  /** Move what stands in frames of tf. */
  place(): void {
    for (const scan of this.scans.values()) scan.place(this.tf);
    for (const layer of this.markers.values()) layer.place(this.tf);
    this.estimate.fade(this.pace);
    this.reference.fade(this.pace);
    this.hands.fade();
  }

  /** Forget all: what was told before a lost connection must not stay. */
  clear(): void {
    for (const scan of this.scans.values()) scan.clear();
    for (const layer of this.markers.values()) layer.clear();
    for (const trail of this.trails.values()) trail.clear();
    this.estimate.clear();
    this.reference.clear();
    this.hands.clear();
  }

  private listen(topics: Topics): void {
    topics.on("scan", (scan) => this.scanOf(scan.topic).show(scan));
    topics.on("markers", (message) => this.markersOf(message.topic).show(message.markers.map(inOwnColour)));
    topics.on("trail", (trail) => this.trailOf(trail.of).replace(trail.points));
    topics.on("estimate", (message) => {
      this.showEstimate(message);
      this.follow(message.topic, message.pose);
    });
    topics.on("pose", (message) => {
      const hand = HAND.exec(message.topic)?.[1];
      if (hand) this.hands.show(hand, message.pose);
      else this.follow(message.topic, message.pose);
    });
    topics.on("odometry", (message) => {
      if (message.topic.endsWith("/target")) this.reference.show(message.pose);
      this.follow(message.topic, message.pose);
    });
  }

  /** The camera's pose, or where there is none the laser's position, which has no direction. */
  private showEstimate({ topic, pose, covariance }: TopicMessage<"estimate">): void {
    const now = performance.now();
    const isWhole = !topic.endsWith("/position");
    if (isWhole) this.lastPose = now;
    else if (now - this.lastPose < this.pace.stretch(POSE_LASTS)) return;
    this.estimate.show(pose, covariance, isWhole);
  }

  /** A trail goes on where the server began one. */
  private follow(topic: string, pose: Pose): void {
    if (rotation(pose).every(Number.isFinite)) this.trails.get(topic)?.add(pose[0], pose[1], pose[2]);
  }

  private scanOf(topic: string): ScanPoints {
    return made(this.scans, topic, () => new ScanPoints(COLOURS.scan), this.parts.scan);
  }

  private markersOf(topic: string): MarkerLayer {
    return made(this.markers, topic, () => new MarkerLayer(), this.parts.markers);
  }

  private trailOf(topic: string): Trail {
    const shade = topic.includes("reference")
      ? COLOURS.reference
      : topic.includes("drone")
        ? COLOURS.drone
        : COLOURS.estimate;
    const height = topic.includes("reference") ? TRAIL_HEIGHT : 1.5 * TRAIL_HEIGHT;
    const onFloor = !topic.includes("drone");
    return made(this.trails, topic, () => new Trail(shade, height, onFloor), this.parts.trails);
  }
}

/** The zone's line has the colour that the legend tells. */
function inOwnColour(marker: MarkerShape): MarkerShape {
  if (marker.ns !== "zone") return marker;
  const { r, g, b } = new Color(COLOURS.zone);
  return { ...marker, colour: [r, g, b, marker.colour[3]] };
}

function made<T extends { object: import("three").Object3D }>(
  known: Map<string, T>,
  topic: string,
  make: () => T,
  parent: Group,
): T {
  let one = known.get(topic);
  if (!one) {
    one = make();
    known.set(topic, one);
    parent.add(one.object);
  }
  return one;
}
