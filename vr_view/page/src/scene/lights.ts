// Lights of the document. three.js divides what a surface reflects by pi; SDF does not.
import {
  AmbientLight,
  DirectionalLight,
  Group,
  Object3D,
  PointLight,
  SpotLight,
  type Light as ThreeLight,
} from "three";
import { colour } from "./materials";
import type { Colour, Light } from "./document";
import { setPose } from "./set_pose";

/** How fast a light fades: the highest power of the distance that SDF's attenuation has. */
function decay([, linear, quadratic]: Light["attenuation"]): number {
  return quadratic > 0 ? 2 : linear > 0 ? 1 : 0;
}

function make(light: Light, target: Object3D): ThreeLight {
  const shade = colour(light.diffuse);
  const strength = light.intensity * Math.PI;
  if (light.type === "directional") {
    const made = new DirectionalLight(shade, strength);
    made.target = target;
    return made;
  }
  if (light.type === "point") {
    return new PointLight(shade, strength, light.range, decay(light.attenuation));
  }
  const half = light.outer_angle / 2;
  const blur = half > 0 ? 1 - light.inner_angle / light.outer_angle : 0;
  const made = new SpotLight(shade, strength, light.range, half, blur, decay(light.attenuation));
  made.target = target;
  return made;
}

export function lightOf(light: Light): Group {
  const group = new Group();
  setPose(group, light.pose);
  const target = new Object3D();
  target.position.set(...light.direction);
  const made = make(light, target);
  made.position.set(0, 0, 0);
  group.add(target, made);
  group.visible = light.on;
  return group;
}

export function ambientOf(ambient: Colour): AmbientLight {
  return new AmbientLight(colour(ambient), Math.PI);
}
