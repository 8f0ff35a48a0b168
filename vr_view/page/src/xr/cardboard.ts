// Two halves side by side, for a phone in a cardboard viewer.
import { StereoCamera, Vector2, type PerspectiveCamera } from "three";
import type { Stage } from "../view/stage";

const EYE_DISTANCE = 0.063; // m

export class Cardboard {
  private readonly eyes = new StereoCamera();
  private readonly size = new Vector2();

  constructor(private readonly stage: Stage) {
    this.eyes.eyeSep = EYE_DISTANCE;
    this.eyes.aspect = 0.5;
  }

  /** Both halves, one after the other. */
  draw(camera: PerspectiveCamera): void {
    const { renderer, scene } = this.stage;
    scene.updateMatrixWorld();
    if (camera.parent === null) camera.updateMatrixWorld();
    this.eyes.update(camera);
    renderer.getSize(this.size);
    const [half, height] = [this.size.width / 2, this.size.height];
    renderer.setScissorTest(true);
    [this.eyes.cameraL, this.eyes.cameraR].forEach((eye, index) => {
      renderer.setScissor(index * half, 0, half, height);
      renderer.setViewport(index * half, 0, half, height);
      renderer.render(scene, eye);
    });
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, this.size.width, height);
  }
}
