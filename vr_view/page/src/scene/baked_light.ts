// Light on surfaces that never move, worked out once at their corners: walls and floors fill most of
// what is drawn, and where there is no graphics processor their light would cost half of each frame.
import { BufferAttribute, type BufferGeometry } from "three";
import { compose, position, rotate, rotation, type Pose, type Vector } from "../core/pose";
import type { Light, Material, SceneDocument, Visual } from "./document";

/** Size of the parts (m) that a surface is cut into. */
export const CELL = 1.0;

export function canBake({ shape, material }: Visual): boolean {
  const isFlat = shape.type === "box" || shape.type === "plane";
  return isFlat && material.lighting && !material.texture && !material.double_sided && material.colour[3] >= 1;
}

/** How much of a light a surface gets at a place, as a factor of its colour; SDF's formulas. */
export function received(light: Light, at: Vector, normal: Vector): number {
  if (!light.on) return 0;
  const along = unit(rotate(rotation(light.pose), light.direction));
  if (light.type === "directional") return light.intensity * Math.max(0, -dot(along, normal));
  const [x, y, z] = position(light.pose);
  const towards: Vector = [x - at[0], y - at[1], z - at[2]];
  const distance = Math.hypot(...towards);
  if (distance > light.range || distance < 1e-6) return 0;
  const [constant, linear, quadratic] = light.attenuation;
  const fading = Math.max(constant + linear * distance + quadratic * distance * distance, 1e-6);
  const facing = Math.max(0, dot(towards, normal) / distance);
  return (light.intensity * facing * cone(light, -dot(towards, along) / distance)) / fading;
}

function cone(light: Light, cosine: number): number {
  if (light.type !== "spot") return 1;
  const [inner, outer] = [Math.cos(light.inner_angle / 2), Math.cos(light.outer_angle / 2)];
  if (cosine <= outer) return 0;
  return cosine >= inner ? 1 : ((cosine - outer) / Math.max(inner - outer, 1e-6)) ** (light.falloff || 1);
}

/** Give a geometry that stands at map_from_geometry the colours of its corners. */
export function bakeLight(geometry: BufferGeometry, at: Pose, material: Material, scene: SceneDocument): void {
  const [places, normals] = [geometry.getAttribute("position"), geometry.getAttribute("normal")];
  const colours = new Float32Array(3 * places.count);
  for (let corner = 0; corner < places.count; corner++) {
    const place: Vector = [places.getX(corner), places.getY(corner), places.getZ(corner)];
    const inMap = position(compose(at, [...place, 0, 0, 0, 1]));
    const normal = rotate(rotation(at), [normals.getX(corner), normals.getY(corner), normals.getZ(corner)]);
    const shares = scene.lights.map((light) => received(light, inMap, normal));
    for (let channel = 0; channel < 3; channel++) {
      let light = scene.ambient[channel]!;
      scene.lights.forEach((each, k) => (light += shares[k]! * each.diffuse[channel]!));
      colours[3 * corner + channel] = material.colour[channel]! * light + material.emissive[channel]!;
    }
  }
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function unit(v: Vector): Vector {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}
