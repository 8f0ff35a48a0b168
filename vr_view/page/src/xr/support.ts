// Whether "Enter VR" can work here, and what to do where it cannot.

export type Support = { ok: true } | { ok: false; why: "insecure" | "none" | "headset"; text: string };

interface Surroundings {
  isSecure: boolean;
  host: string;
  port: string;
  xr: Pick<XRSystem, "isSessionSupported"> | undefined;
}

export async function vrSupport({ isSecure, host, port, xr }: Surroundings): Promise<Support> {
  if (!isSecure) {
    const at = port ? `:${port}` : "";
    const text =
      `VR needs https: browsers offer it on ${host} only over https, or on localhost. Open ` +
      `https://${host}${at} (the server makes its own certificate), or connect the headset by USB, ` +
      `run "adb reverse tcp:${port || 80} tcp:${port || 80}" and open http://localhost${at} in it.`;
    return { ok: false, why: "insecure", text };
  }
  if (!xr) return { ok: false, why: "none", text: "This browser has no WebXR; the phone view works everywhere." };
  const supported = await xr.isSessionSupported("immersive-vr").catch(() => false);
  if (supported) return { ok: true };
  return { ok: false, why: "headset", text: "This browser finds no headset." };
}
