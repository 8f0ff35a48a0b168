// From the device's head to a head in the map, by mode: what the node `viewpoint` does, on the page,
// so that no network stands between a turn of the head and what is seen.
import {
  compose,
  fromYaw,
  IDENTITY,
  invert,
  looking,
  multiply,
  poseOf,
  position,
  rotate,
  rotation,
  withoutRoll,
  yawPitch,
  type Pose,
  type Vector,
} from "../core/pose";

export const MODES = ["fixed", "free_look", "steered", "orbit", "follow"] as const;
export type Mode = (typeof MODES)[number];

export interface ViewOptions {
  /** What orbit and follow look at. */
  target: string;
  /** What free_look and steered look through; its x axis looks forward. */
  camera: string;
  /** fixed: where the device's floor stands in the map. */
  place: { position: Vector; yaw: number };
  orbitDistance: number;
  followDistance: number;
  followHeight: number;
  /** Seconds in which 63 % of a step of the target is made up for. */
  smoothing: number;
}

/** The defaults of the node's parameters. */
export const DEFAULTS: ViewOptions = {
  target: "target",
  camera: "drone/base_link",
  place: { position: [0, 0.5, 0], yaw: Math.PI / 2 },
  orbitDistance: 2,
  followDistance: 1.5,
  followHeight: 0.7,
  smoothing: 0.4,
};

const JUMP = 3; // m: a target that is suddenly so far away is a new one

export class Viewpoint {
  mode: Mode = "fixed";
  readonly options: ViewOptions = structuredClone(DEFAULTS);
  private zeroFromDevice: Pose = IDENTITY;
  private smooth: { position: Vector; yaw: number } | null = null;

  choose(mode: Mode): void {
    if (mode !== this.mode) this.smooth = null;
    this.mode = mode;
  }

  /** Make where the head is, and looks, the zero of the device's space; its floor stays. */
  recentre(deviceFromHead: Pose): void {
    const [x, y] = deviceFromHead;
    const { yaw } = yawPitch(rotation(deviceFromHead));
    this.zeroFromDevice = invert(poseOf([x, y, 0], fromYaw(yaw)));
  }

  /** The frame whose pose in the map the mode needs; null: none. */
  get frame(): string | null {
    if (this.mode === "fixed") return null;
    return this.mode === "free_look" || this.mode === "steered" ? this.options.camera : this.options.target;
  }

  /**
   * map_from_head of `ofDevice`, the head in the device's space (both in ROS axes) and the pose of `frame`; null where that
   * pose is needed and not known. `elapsed` is in seconds, since the last call.
   */
  head(ofDevice: Pose, mapFromFrame: Pose | null, elapsed: number): Pose | null {
    const deviceFromHead = compose(this.zeroFromDevice, ofDevice);
    if (this.mode === "fixed") {
      const { position: place, yaw } = this.options.place;
      return compose(poseOf(place, fromYaw(yaw)), deviceFromHead);
    }
    if (!mapFromFrame) return null;
    switch (this.mode) {
      case "free_look":
        return poseOf(position(mapFromFrame), multiply(rotation(mapFromFrame), rotation(deviceFromHead)));
      case "steered": {
        const camera = rotation(mapFromFrame);
        const level = multiply(camera, looking(-yawPitch(camera).yaw, 0));
        return poseOf(position(mapFromFrame), withoutRoll(multiply(level, rotation(deviceFromHead))));
      }
      case "orbit":
        return this.orbit(deviceFromHead, mapFromFrame);
      case "follow":
        return this.follow(deviceFromHead, mapFromFrame, elapsed);
    }
  }

  /** Where the device's floor space stands in the map so that its head is at map_from_head. */
  static floor(mapFromHead: Pose, deviceFromHead: Pose): Pose {
    return compose(mapFromHead, invert(deviceFromHead));
  }

  private orbit(head: Pose, target: Pose): Pose {
    const { yaw, pitch } = yawPitch(rotation(head));
    const turn = looking(yaw, pitch);
    const [x, y, z] = rotate(turn, [this.options.orbitDistance, 0, 0]);
    return poseOf([target[0] - x, target[1] - y, target[2] - z], turn);
  }

  private follow(head: Pose, target: Pose, elapsed: number): Pose {
    const { followDistance, followHeight, smoothing } = this.options;
    const at = position(target);
    const { yaw } = yawPitch(rotation(target));
    const before = this.smooth;
    const jumped = before && Math.hypot(...at.map((v, k) => v - before.position[k]!)) > JUMP;
    const last = before && !jumped ? before : { position: at, yaw };
    const share = smoothing > 0 ? -Math.expm1(-Math.max(elapsed, 0) / smoothing) : 1;
    const turn = Math.atan2(Math.sin(yaw - last.yaw), Math.cos(yaw - last.yaw));
    const now = {
      position: last.position.map((v, k) => v + share * (at[k]! - v)) as Vector,
      yaw: last.yaw + share * turn,
    };
    this.smooth = now;
    const offset = rotate(fromYaw(now.yaw), [-followDistance, 0, followHeight]);
    const down = Math.atan2(followHeight, followDistance);
    const place = now.position.map((v, k) => v + offset[k]!) as Vector;
    return poseOf(place, withoutRoll(multiply(looking(now.yaw, down), rotation(head))));
  }
}

/** A head that looks straight ahead at standing height. */
export const STANDING: Pose = [0, 0, 1.6, ...rotation(IDENTITY)];
