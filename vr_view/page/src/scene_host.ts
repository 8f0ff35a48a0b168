// Fetches the scene document and keeps the built scene on the stage.
import { GridHelper } from "three";
import type { TfTree } from "./core/tf_tree";
import { BuiltScene } from "./scene/built_scene";
import type { SceneDocument } from "./scene/document";
import { Dollhouse } from "./scene/dollhouse";
import { colour } from "./scene/materials";
import type { Stage } from "./view/stage";

const FORMAT = 1;

export class SceneHost {
  private built: BuiltScene | null = null;
  private dollhouse: Dollhouse | null = null;
  private readonly grid = new GridHelper(40, 40, 0x6f8092, 0x55636f).rotateX(Math.PI / 2);

  constructor(
    private readonly stage: Stage,
    private readonly tf: TfTree,
    private readonly complain: (text: string) => void,
  ) {
    this.grid.position.z = 0.002;
    for (const material of [this.grid.material].flat()) {
      material.transparent = true;
      material.opacity = 0.25;
    }
    stage.world.add(this.grid);
  }

  get document(): SceneDocument | null {
    return this.built?.document ?? null;
  }

  /** Read the document anew and build it; the old scene stays until the new one is there. */
  async load(): Promise<void> {
    const answer = await fetch("/scene");
    if (!answer.ok) throw new Error(`/scene: ${answer.status} ${answer.statusText}`);
    const document = (await answer.json()) as SceneDocument;
    if (document.format !== FORMAT) throw new Error(`the scene has format ${document.format}, not ${FORMAT}`);
    this.built?.dispose();
    const built = (this.built = new BuiltScene(document));
    this.stage.world.add(built.root);
    this.stage.scene.background = colour(document.background);
    const dollhouse = (this.dollhouse = new Dollhouse(document, built.root));
    await built.complete;
    if (this.built === built) built.merge(dollhouse.objects);
    if (built.complaints.length) this.complain(built.complaints.join("; "));
  }

  place(): void {
    this.built?.place(this.tf);
    if (this.stage.isPresenting || this.stage.throughRig) this.dollhouse?.showAll();
    else this.dollhouse?.hideFor(this.stage.camera);
  }
}
