// Looks of the document as three.js materials; those that are alike are shared.
import {
  Color,
  DoubleSide,
  FrontSide,
  MeshBasicMaterial,
  MeshLambertMaterial,
  RepeatWrapping,
  TextureLoader,
  type Material as ThreeMaterial,
  type Side,
} from "three";
import type { Colour, Material } from "./document";

const BAKED = "baked";

/** Colours stay as the files have them: see the stage's colour management. */
export function colour(rgb: readonly number[]): Color {
  return new Color(rgb[0] ?? 0, rgb[1] ?? 0, rgb[2] ?? 0);
}

export class Materials {
  /** For surfaces whose corners already have the colour that the light gives them. */
  readonly baked = new MeshBasicMaterial({ vertexColors: true });
  private readonly made = new Map<string, ThreeMaterial>();
  private readonly own = new WeakSet<ThreeMaterial>();
  private readonly textures = new TextureLoader();

  of(material: Material): ThreeMaterial {
    const key = JSON.stringify(material);
    const known = this.made.get(key) ?? this.make(material);
    this.made.set(key, known);
    this.own.add(known);
    return known;
  }

  /** What surfaces must share, but for their colour, to be one mesh; null: such are drawn alone. */
  kindOf(material: ThreeMaterial | ThreeMaterial[]): string | null {
    if (material === this.baked) return BAKED;
    if (!(material instanceof MeshLambertMaterial) || !this.own.has(material)) return null;
    if (material.map || material.transparent) return null;
    return JSON.stringify([material.side, material.emissive.toArray()]);
  }

  /** The material of a merged mesh, whose corners have the colours. */
  ofKind(kind: string): ThreeMaterial {
    if (kind === BAKED) return this.baked;
    const known = this.made.get(kind);
    if (known) return known;
    const [side, emissive] = JSON.parse(kind) as [Side, Colour];
    const material = new MeshLambertMaterial({ vertexColors: true, side, emissive: colour(emissive) });
    this.made.set(kind, material);
    return material;
  }

  /** Red, green and blue of a surface; null where its corners have them. */
  shadeOf(material: ThreeMaterial | ThreeMaterial[]): number[] | null {
    return material instanceof MeshLambertMaterial ? material.color.toArray() : null;
  }

  dispose(): void {
    for (const material of this.made.values()) {
      if (material instanceof MeshLambertMaterial) material.map?.dispose();
      material.dispose();
    }
    this.made.clear();
    this.baked.dispose();
  }

  private make(material: Material): ThreeMaterial {
    const alpha = material.colour[3];
    const common = {
      color: colour(material.texture ? [1, 1, 1] : material.colour),
      opacity: alpha,
      transparent: alpha < 1,
      depthWrite: alpha >= 1,
      side: material.double_sided ? DoubleSide : FrontSide,
      map: material.texture ? this.texture(material.texture) : null,
    };
    if (!material.lighting) return new MeshBasicMaterial(common);
    return new MeshLambertMaterial({ ...common, emissive: colour(material.emissive as Colour) });
  }

  private texture(url: string) {
    const texture = this.textures.load(url);
    texture.wrapS = texture.wrapT = RepeatWrapping;
    return texture;
  }
}
