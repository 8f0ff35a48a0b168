// What page and server say to each other; docs/vr_protocol.md tells the meaning.
import type { Pose } from "../core/pose";

export const PROTOCOL = 1;

export interface TopicOffer {
  topic: string;
  kind: string;
  rate: number;
}

export interface Hello {
  type: "hello";
  protocol: number;
  role: "pilot" | "guest";
  session: string;
  server: string;
  time: number;
  limits: { message_bytes: number; messages_per_second: number; upload_bytes: number };
  heartbeat: number;
  drone: string;
  topics: TopicOffer[];
  actions: string[];
}

export interface Result {
  type: "result";
  id: number;
  ok: boolean;
  text: string;
}

export interface Haptics {
  type: "haptics";
  hand: Hand;
  amplitude: number;
  seconds: number;
}

export type Hand = "left" | "right";
export type TfRow = [string, string, number, ...Pose];

export interface MarkerShape {
  ns: string;
  id: number;
  shape: string;
  frame: string;
  pose: Pose;
  scale: [number, number, number];
  colour: [number, number, number, number];
  points?: number[] | number[][];
  colours?: number[][];
  text?: string;
}

/** Values of a topic by its kind; binary kinds carry their payload too. */
export interface TopicKinds {
  tf: { transforms: TfRow[] };
  pose: { frame: string; stamp: number; pose: Pose };
  estimate: { frame: string; stamp: number; pose: Pose; covariance: (number | null)[] };
  odometry: { frame: string; stamp: number; pose: Pose; child: string; linear: number[]; angular: number[] };
  status: { name: string; level: number; text: string; values: Record<string, string> };
  markers: { markers: MarkerShape[] };
  simulator: {
    time: number | null;
    paused: boolean | null;
    factor: number | null;
    wished: number | null;
    level: number;
    text: string;
  };
  error: { stamp: number; x: number; y: number; distance: number; yaw: number | null };
  trail: { of: string; points: number[] };
  battery: { stamp: number; voltage: number | null; current: number | null; remaining: number | null };
  latency: { values: Record<string, string> };
  text: { text: string };
  transfer: { name: string; state: string; fraction: number; text: string };
  scan: {
    frame: string;
    stamp: number;
    angle_min: number;
    angle_increment: number;
    range_min: number;
    range_max: number;
    count: number;
    payload: ArrayBuffer;
    offset: number;
  };
  image: {
    frame: string;
    stamp: number;
    width: number;
    height: number;
    format: string;
    payload: ArrayBuffer;
    offset: number;
  };
}

export type Kind = keyof TopicKinds;
export type TopicMessage<K extends Kind = Kind> = TopicKinds[K] & { type: string; topic: string; kind: K };

export interface Controller {
  stick: [number, number];
  trigger: number;
  grip: number;
  buttons: boolean[];
}

export interface Device {
  t: number;
  head: Pose;
  left_hand: Pose | null;
  right_hand: Pose | null;
  left: Controller | null;
  right: Controller | null;
}

export interface Eye {
  tangents: [number, number, number, number];
  size: [number, number];
}

export type Outgoing =
  | { type: "subscribe"; topics: Record<string, number> }
  | { type: "ping"; t: number }
  | ({ type: "device" } & Device)
  | { type: "eyes"; left: Eye; right: Eye; distance: number }
  | { type: "vr"; active: boolean; rate: number | null }
  | { type: "report"; round_trip: number | null; render: number | null; rate: number | null; skipped: number | null }
  | { type: "action"; id: number; name: string; arguments: Record<string, unknown> };

/** The header of a binary message, with `payload` and the `offset` of its first byte in it. */
export function decodeBinary(data: ArrayBuffer): Record<string, unknown> {
  if (data.byteLength < 4) throw new Error("a binary message of less than four bytes");
  const length = new DataView(data).getUint32(0, true);
  if (4 + length > data.byteLength) throw new Error("a binary message ends within its header");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  return { ...header, payload: data, offset: 4 + length };
}
