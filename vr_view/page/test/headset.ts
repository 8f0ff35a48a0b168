// An emulated headset for tests: window.headset. It is no part of the page.
import { metaQuest3, XRDevice } from "iwer";

declare global {
  interface Window {
    headset?: XRDevice;
  }
}

const device = new XRDevice(metaQuest3, { stereoEnabled: true });
// Chromium has a navigator.xr of its own, which would refuse every session.
device.installRuntime({ forceInstall: true } as never);
window.headset = device;
