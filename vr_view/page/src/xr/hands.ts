// What is seen of the hands in a headset: a handle at the grip, a ray where the controller points.
import { BufferGeometry, CapsuleGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Mesh, MeshLambertMaterial } from "three";
import type { Stage } from "../view/stage";

const RAY = 3; // m

function handle(): Mesh {
  // Grip space: -z is forward along the handle, out of the fist.
  const geometry = new CapsuleGeometry(0.018, 0.09, 6, 16).rotateX(Math.PI / 2);
  return new Mesh(geometry, new MeshLambertMaterial({ color: 0x30404f }));
}

function ray(): Line {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([0, 0, 0, 0, 0, -RAY], 3));
  return new Line(geometry, new LineBasicMaterial({ color: 0x9fd0ff, transparent: true, opacity: 0.5 }));
}

/** Adds both hands to the stage's rig; three.js moves them with the controllers. */
export function addHands(stage: Stage): Group {
  const hands = new Group();
  for (const index of [0, 1]) {
    hands.add(stage.renderer.xr.getControllerGrip(index).add(handle()));
    hands.add(stage.renderer.xr.getController(index).add(ray()));
  }
  stage.rig.add(hands);
  return hands;
}
