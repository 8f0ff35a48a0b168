// The scene document, as docs/vr_protocol.md has it.
import type { Pose, Vector } from "../core/pose";

export type Colour = [number, number, number];

export type Shape =
  | { type: "box"; size: Vector }
  | { type: "cylinder" | "capsule"; radius: number; length: number }
  | { type: "sphere"; radius: number }
  | { type: "ellipsoid"; radii: Vector }
  | { type: "plane"; normal: Vector; size: [number, number] }
  | {
      type: "mesh";
      url: string;
      format: string;
      scale: Vector;
      submesh: string | null;
      center_submesh: boolean;
    };

export interface Material {
  colour: [number, number, number, number];
  emissive: Colour;
  specular: Colour;
  shininess: number;
  lighting: boolean;
  double_sided: boolean;
  texture: string | null;
  given: boolean;
}

export interface Visual {
  name: string;
  pose: Pose;
  shape: Shape;
  material: Material;
  cast_shadows: boolean;
}

export interface Light {
  name: string;
  type: "directional" | "point" | "spot";
  pose: Pose;
  diffuse: Colour;
  specular: Colour;
  intensity: number;
  direction: Vector;
  cast_shadows: boolean;
  on: boolean;
  range: number;
  attenuation: [number, number, number];
  inner_angle: number;
  outer_angle: number;
  falloff: number;
}

export interface Link {
  name: string;
  frame: string | null;
  parent: string | null;
  pose: Pose;
  visuals: Visual[];
  lights: Light[];
}

export interface Model {
  name: string;
  static: boolean;
  pose: Pose;
  root: string;
  links: Link[];
}

export interface SceneDocument {
  format: number;
  name: string;
  background: Colour;
  ambient: Colour;
  shadows: boolean;
  lights: Light[];
  models: Model[];
}
