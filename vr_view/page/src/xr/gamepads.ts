// A controller's buttons and sticks, and its two ways to shake.
import type { Controller } from "../link/protocol";

const BUTTONS = [0, 1, 3, 4, 5]; // trigger, grip, stick, A or X, B or Y in the standard mapping

type Pad = Pick<Gamepad, "axes" | "mapping"> & {
  buttons: readonly { pressed: boolean; value: number }[];
};

function within(value: number | undefined, low: number): number {
  return Math.min(1, Math.max(low, Number.isFinite(value) ? (value as number) : 0));
}

/** As the protocol has it. Touchpads (axes 0, 1) count where there is no stick (axes 2, 3). */
export function controllerOf(pad: Pad): Controller {
  const hasStick = pad.axes.length >= 4;
  const [x, y] = hasStick ? [pad.axes[2], pad.axes[3]] : [pad.axes[0], pad.axes[1]];
  const stickButton = hasStick ? 3 : 2;
  return {
    stick: [within(x, -1), within(y, -1)],
    trigger: within(pad.buttons[0]?.value, 0),
    grip: within(pad.buttons[1]?.value, 0),
    buttons: BUTTONS.map((k) => pad.buttons[k === 3 ? stickButton : k]?.pressed ?? false),
  };
}

interface Actuator {
  pulse?: (amplitude: number, milliseconds: number) => Promise<unknown>;
  playEffect?: (type: string, parameters: object) => Promise<unknown>;
}

export interface ShakingPad {
  hapticActuators?: readonly (Actuator | null)[];
  vibrationActuator?: Actuator | null;
}

/**
 * Shake by whichever surface the browser has; silent where it has none or refuses.
 * Returns the surface that was used.
 */
export function shake(pad: ShakingPad, amplitude: number, seconds: number): "pulse" | "effect" | null {
  const strength = within(amplitude, 0);
  const duration = Math.round(Math.min(Math.max(seconds, 0), 5) * 1e3);
  const actuator = pad.hapticActuators?.[0] ?? pad.vibrationActuator;
  const quiet = (promise: Promise<unknown> | undefined) => void promise?.catch?.(() => undefined);
  try {
    if (actuator?.pulse) {
      quiet(actuator.pulse(strength, duration));
      return "pulse";
    }
    if (actuator?.playEffect) {
      quiet(
        actuator.playEffect("dual-rumble", {
          duration,
          strongMagnitude: strength,
          weakMagnitude: strength,
        }),
      );
      return "effect";
    }
  } catch {
    return null;
  }
  return null;
}
