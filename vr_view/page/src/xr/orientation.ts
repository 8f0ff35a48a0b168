// A phone's turning as a head: device orientation with the permission that a tap must ask for.
import type { Pose, Quaternion } from "../core/pose";
import { multiply } from "../core/pose";

const RADIAN = Math.PI / 180;
const SQ = Math.SQRT1_2;
const EYE_HEIGHT = 1.6; // m above the floor of a person who stands and turns

/**
 * device_from_camera in WebXR's axes (x right, y up, z back), of the browser's angles (degrees) and
 * of how the screen is turned. The angles are intrinsic turns about z, x, y of a phone that lies
 * flat; the camera looks out of its back.
 */
export function headFromAngles(alpha: number, beta: number, gamma: number, screen: number): Quaternion {
  const about = (axis: 0 | 1 | 2, degrees: number): Quaternion => {
    const q: Quaternion = [0, 0, 0, Math.cos((degrees * RADIAN) / 2)];
    q[axis] = Math.sin((degrees * RADIAN) / 2);
    return q;
  };
  const phone = multiply(multiply(about(2, alpha), about(0, beta)), about(1, gamma));
  // From z up to y up.
  const standing = multiply([-SQ, 0, 0, SQ], phone);
  return multiply(standing, about(2, -screen));
}

type AskPermission = { requestPermission?: () => Promise<"granted" | "denied"> };

export class PhoneOrientation {
  /** device_from_head in WebXR's axes; null while nothing has come. */
  head: Pose | null = null;
  private readonly listen = (event: DeviceOrientationEvent) => this.take(event);

  /** Call it from a tap: some browsers ask the user. Resolves with why not, or null. */
  async start(): Promise<string | null> {
    if (!("DeviceOrientationEvent" in window)) return "this browser tells no orientation";
    const ask = (DeviceOrientationEvent as unknown as AskPermission).requestPermission;
    if (ask) {
      const answer = await ask.call(DeviceOrientationEvent).catch(() => "denied");
      if (answer !== "granted") return "access to the phone's motion was not allowed";
    }
    if (!isSecureContext) return "browsers tell a phone's orientation over https only";
    window.addEventListener("deviceorientation", this.listen);
    return null;
  }

  stop(): void {
    window.removeEventListener("deviceorientation", this.listen);
    this.head = null;
  }

  private take({ alpha, beta, gamma }: DeviceOrientationEvent): void {
    if (alpha === null || beta === null || gamma === null) return;
    const screen = window.screen.orientation?.angle ?? 0;
    this.head = [0, EYE_HEIGHT, 0, ...headFromAngles(alpha, beta, gamma, screen)];
  }
}
