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
  type Quaternion,
  type Vector,
} from "../core/pose";

export const MODES = ["fixed", "free_look", "steered", "orbit", "follow"] as const;
export type Mode = (typeof MODES)[number];

/** The parameters of the node by their names, which docs/parameters.md explains. */
export interface ViewOptions {
  target_frame: string;
  place: number[];
  "camera.frame": string;
  "camera.optical": boolean;
  "camera.level": boolean;
  "orbit.distance": number;
  "orbit.height": number;
  "orbit.turns_with_target": boolean;
  "follow.distance": number;
  "follow.height": number;
  "follow.smoothing": number;
  "follow.jump": number;
}

/** Those of a node that nobody has set otherwise; what runs tells its own. */
export const DEFAULTS: ViewOptions = {
  target_frame: "target",
  place: [0, 0.5, 0, Math.PI / 2],
  "camera.frame": "drone/base_link",
  "camera.optical": false,
  "camera.level": false,
  "orbit.distance": 2,
  "orbit.height": 0,
  "orbit.turns_with_target": false,
  "follow.distance": 1.5,
  "follow.height": 0.7,
  "follow.smoothing": 0.4,
  "follow.jump": 3,
};

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const OPTICAL_FROM_BODY: Quaternion = [0.5, -0.5, 0.5, 0.5];

export class Viewpoint {
  mode: Mode = "fixed";
  readonly options: ViewOptions = structuredClone(DEFAULTS);
  private zeroFromDevice: Pose = IDENTITY;
  private smooth: { position: Vector; yaw: number } | null = null;

  choose(mode: Mode): void {
    if (mode !== this.mode) this.smooth = null;
    this.mode = mode;
  }

  /** Take what the node tells of its parameters: JSON by name. What is missing or of another type stays as it was. */
  take(values: Record<string, string>): void {
    const options = this.options as unknown as Record<string, unknown>;
    for (const [name, before] of Object.entries(options)) {
      const told = parsed(values[name]);
      if (typeof told === typeof before && Array.isArray(told) === Array.isArray(before)) options[name] = told;
    }
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
    return this.mode === "free_look" || this.mode === "steered" ? this.options["camera.frame"] : this.options.target_frame;
  }

  /**
   * map_from_head of `ofDevice`, the head in the device's space (both in ROS axes) and the pose of `frame`; null where that
   * pose is needed and not known. `elapsed` is in seconds, since the last call.
   */
  head(ofDevice: Pose, mapFromFrame: Pose | null, elapsed: number): Pose | null {
    const deviceFromHead = compose(this.zeroFromDevice, ofDevice);
    if (this.mode === "fixed") {
      const [x, y, z, yaw] = this.options.place as [number, number, number, number];
      return compose(poseOf([x, y, z], fromYaw(yaw)), deviceFromHead);
    }
    if (!mapFromFrame) return null;
    switch (this.mode) {
      case "free_look":
        return poseOf(position(mapFromFrame), multiply(this.camera(mapFromFrame), rotation(deviceFromHead)));
      case "steered": {
        const camera = this.camera(mapFromFrame);
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

  private camera(mapFromFrame: Pose): Quaternion {
    const { "camera.optical": isOptical, "camera.level": isLevel } = this.options;
    const camera = isOptical ? multiply(rotation(mapFromFrame), OPTICAL_FROM_BODY) : rotation(mapFromFrame);
    return isLevel ? looking(yawPitch(camera).yaw, 0) : camera;
  }

  private orbit(head: Pose, target: Pose): Pose {
    const { "orbit.distance": distance, "orbit.height": height } = this.options;
    const { yaw, pitch } = yawPitch(rotation(head));
    const along = this.options["orbit.turns_with_target"] ? yawPitch(rotation(target)).yaw : 0;
    const turn = looking(yaw + along, pitch);
    const [x, y, z] = rotate(turn, [distance, 0, 0]);
    return poseOf([target[0] - x, target[1] - y, target[2] + height - z], turn);
  }

  private follow(head: Pose, target: Pose, elapsed: number): Pose {
    const { "follow.distance": distance, "follow.height": height, "follow.smoothing": smoothing } = this.options;
    const at = position(target);
    const { yaw } = yawPitch(rotation(target));
    const before = this.smooth;
    const jumped = before && Math.hypot(...at.map((v, k) => v - before.position[k]!)) > this.options["follow.jump"];
    const last = before && !jumped ? before : { position: at, yaw };
    const share = smoothing > 0 ? -Math.expm1(-Math.max(elapsed, 0) / smoothing) : 1;
    const turn = Math.atan2(Math.sin(yaw - last.yaw), Math.cos(yaw - last.yaw));
    const now = {
      position: last.position.map((v, k) => v + share * (at[k]! - v)) as Vector,
      yaw: last.yaw + share * turn,
    };
    this.smooth = now;
    const offset = rotate(fromYaw(now.yaw), [-distance, 0, height]);
    const down = Math.atan2(height, distance);
    const place = now.position.map((v, k) => v + offset[k]!) as Vector;
    return poseOf(place, withoutRoll(multiply(looking(now.yaw, down), rotation(head))));
  }
}

/** A head that looks straight ahead at standing height. */
export const STANDING: Pose = [0, 0, 1.6, ...rotation(IDENTITY)];
