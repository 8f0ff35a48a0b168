// Two images, one for each eye, over the whole of what the eye sees. The newest frame wins.
import {
  ClampToEdgeWrapping,
  Group,
  LinearFilter,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  Texture,
  Vector4,
} from "three";
import { NewestImage } from "./newest_image";

export type VideoMode = "scene" | "video" | "over";
/** From u0 to u1 across and from v0 to v1 down; 0 to 1 is the whole image. */
export type UvRange = [number, number, number, number];

const VERTEX = `
  varying vec2 place;
  void main() {
    place = vec2(0.5 + 0.5 * position.x, 0.5 - 0.5 * position.y);
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }`;
// Outside of the image is black, as the thesis showed it.
const FRAGMENT = `
  uniform sampler2D image;
  uniform vec4 range;
  uniform vec4 part;
  uniform float opacity;
  varying vec2 place;
  void main() {
    vec2 at = range.xz + place * (range.yw - range.xz);
    bool inside = all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(1.0)));
    vec3 shade = inside ? texture2D(image, part.xz + at * (part.yw - part.xz)).rgb : vec3(0.0);
    float cover = inside ? opacity : step(0.99, opacity); // nothing to see lets the scene through
    gl_FragColor = vec4(shade, cover);
  }`;

/** The part of a texture that an eye sees: of a side-by-side image its half, never the whole. */
export function partFor(eye: 0 | 1, sideBySide: boolean): UvRange {
  if (!sideBySide) return [0, 1, 0, 1];
  return eye === 0 ? [0, 0.5, 0, 1] : [0.5, 1, 0, 1];
}

class EyeVideo {
  readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;
  readonly texture = new Texture();

  constructor(eye: 0 | 1) {
    this.texture.minFilter = LinearFilter;
    this.texture.magFilter = LinearFilter;
    this.texture.wrapS = this.texture.wrapT = ClampToEdgeWrapping;
    this.texture.generateMipmaps = false;
    this.texture.flipY = false;
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      depthTest: false,
      depthWrite: false,
      transparent: true,
      uniforms: {
        image: { value: this.texture },
        range: { value: new Vector4(0, 1, 0, 1) },
        part: { value: new Vector4(...partFor(eye, false)) },
        opacity: { value: 1 },
      },
    });
    this.mesh = new Mesh(new PlaneGeometry(2, 2), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1000;
    this.mesh.layers.set(1 + eye); // three.js: layer 1 is the left eye's, 2 the right eye's
  }
}

export class StereoVideo {
  readonly object = new Group();
  /** Stamp of the frame that is shown, for each eye. */
  readonly stamps: (number | null)[] = [null, null];
  private mode: VideoMode = "scene";
  private readonly eyes = [new EyeVideo(0), new EyeVideo(1)] as const;
  private readonly incoming: NewestImage[];
  private sideBySide = false;

  constructor() {
    this.object.add(this.eyes[0].mesh, this.eyes[1].mesh);
    this.incoming = this.eyes.map((_, eye) => new NewestImage((bitmap, stamp) => this.take(eye, bitmap, stamp)));
    this.refresh();
  }

  setMode(mode: VideoMode): void {
    this.mode = mode;
    for (const { mesh } of this.eyes) mesh.material.uniforms.opacity!.value = mode === "over" ? 0.5 : 1;
    this.refresh();
  }

  setRange(range: UvRange): void {
    for (const { mesh } of this.eyes) mesh.material.uniforms.range!.value.set(...range);
  }

  setSideBySide(on: boolean): void {
    this.sideBySide = on;
    this.eyes.forEach(({ mesh }, eye) => {
      mesh.material.uniforms.part!.value.set(...partFor(eye as 0 | 1, on));
    });
  }

  /** An image for one eye; a side-by-side one comes as the left eye's and is both. */
  show(eye: 0 | 1, image: Blob, stamp: number): void {
    this.incoming[eye]!.offer(image, stamp);
  }

  /** No picture of a connection that is lost stays before the eyes. */
  clear(): void {
    for (const eye of [0, 1] as const) {
      this.incoming[eye]!.clear();
      this.stamps[eye] = null;
      const { texture } = this.eyes[eye];
      (texture.image as ImageBitmap | null)?.close?.();
      texture.image = null;
      texture.dispose();
    }
    this.refresh();
  }

  private take(eye: number, bitmap: ImageBitmap, stamp: number): void {
    const both = this.sideBySide && eye === 0 ? [0, 1] : [eye];
    for (const each of both) {
      const { texture } = this.eyes[each as 0 | 1];
      const old = texture.image as ImageBitmap | null;
      if (old && (old.width !== bitmap.width || old.height !== bitmap.height)) texture.dispose();
      if (old && old !== bitmap && !this.isShared(old, each)) old.close();
      texture.image = bitmap;
      texture.needsUpdate = true;
      this.stamps[each] = stamp;
    }
    this.refresh();
  }

  private isShared(bitmap: ImageBitmap, eye: number): boolean {
    return this.eyes[(1 - eye) as 0 | 1].texture.image === bitmap;
  }

  private refresh(): void {
    this.eyes.forEach(({ mesh }, eye) => {
      mesh.visible = this.mode !== "scene" && this.stamps[eye] !== null;
    });
  }
}
