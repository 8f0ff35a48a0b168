// The document as objects: one group for each link, all below one parent in the map's axes.
import { Group, Mesh, type Object3D } from "three";
import { compose, invert, type Pose } from "../core/pose";
import type { TfTree } from "../core/tf_tree";
import type { Link, Model, SceneDocument, Visual } from "./document";
import { bakeLight, canBake, CELL } from "./baked_light";
import { ambientOf, lightOf } from "./lights";
import { Materials } from "./materials";
import { mergeAlike } from "./merging";
import { Meshes } from "./meshes";
import { setPose } from "./set_pose";
import { geometryOf } from "./shapes";

interface PlacedLink {
  group: Group;
  frame: string | null;
  atRest: Pose;
  parent: PlacedLink | null;
  parentFromLink: Pose;
  placed: Pose;
}

export class BuiltScene {
  readonly root = new Group();
  /** What could not be shown, and why. */
  readonly complaints: string[] = [];
  /** Resolves when all meshes are there, or have failed. */
  readonly complete: Promise<unknown>;
  private readonly links: PlacedLink[] = [];
  private readonly fixed: Group[] = [];
  private readonly materials = new Materials();
  private readonly meshes = new Meshes();
  private readonly pending: Promise<void>[] = [];

  constructor(readonly document: SceneDocument) {
    this.root.add(ambientOf(document.ambient), ...document.lights.map(lightOf));
    for (const model of document.models) this.addModel(model);
    this.complete = Promise.all(this.pending);
  }

  /** Move every link to where tf has it; what tf does not know goes with its parent. */
  place(tf: TfTree): void {
    for (const link of this.links) {
      const told = link.frame ? tf.lookup(link.frame) : null;
      link.placed = told ?? (link.parent ? compose(link.parent.placed, link.parentFromLink) : link.atRest);
      setPose(link.group, link.placed);
    }
  }

  /** Draw what moves together at once, when all is `complete`; `kept` stays single, to be hidden. */
  merge(kept: ReadonlySet<Object3D>): void {
    this.root.updateWorldMatrix(true, true);
    mergeAlike({ target: this.root, sources: this.fixed }, this.materials, kept);
    for (const { group } of this.links) mergeAlike({ target: group, sources: [group] }, this.materials, kept);
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((node) => {
      if (node instanceof Mesh) node.geometry.dispose();
    });
    this.materials.dispose();
  }

  private addModel(model: Model): void {
    const made = new Map<string, PlacedLink>();
    for (const link of parentsFirst(model.links)) {
      const parent = (link.parent && made.get(link.parent)) || null;
      const atRest = compose(model.pose, link.pose);
      const placed: PlacedLink = {
        group: new Group(),
        frame: link.frame,
        atRest,
        parent,
        parentFromLink: parent ? compose(invert(parent.atRest), atRest) : atRest,
        placed: atRest,
      };
      placed.group.name = `${model.name}/${link.name}`;
      for (const visual of link.visuals) {
        this.addVisual(visual, placed.group, model.static && !link.frame ? atRest : null);
      }
      for (const light of link.lights) placed.group.add(lightOf(light));
      setPose(placed.group, atRest);
      made.set(link.name, placed);
      if (link.frame) this.links.push(placed);
      else this.fixed.push(placed.group);
      this.root.add(placed.group);
    }
  }

  /** `fixedAt` is map_from_link of a link that never moves. */
  private addVisual(visual: Visual, link: Group, fixedAt: Pose | null): void {
    const holder = new Group();
    setPose(holder, visual.pose);
    link.add(holder);
    const { shape, material } = visual;
    const isBaked = fixedAt !== null && canBake(visual);
    const geometry = geometryOf(shape, isBaked ? CELL : Infinity);
    if (geometry && isBaked) {
      bakeLight(geometry, compose(fixedAt, visual.pose), material, this.document);
      holder.add(new Mesh(geometry, this.materials.baked));
    } else if (geometry) {
      holder.add(new Mesh(geometry, this.materials.of(material)));
    } else if (shape.type === "mesh") {
      const given = material.given ? this.materials.of(material) : null;
      const added = this.meshes.of(shape, given).then(
        (mesh) => void holder.add(mesh),
        (error: unknown) => void this.complaints.push(`${link.name}: ${String(error)}`),
      );
      this.pending.push(added);
    }
  }
}

/** Links so that each comes after its parent. */
export function parentsFirst(links: Link[]): Link[] {
  const byName = new Map(links.map((link) => [link.name, link]));
  const done = new Set<Link>();
  const visit = (link: Link, depth: number): void => {
    if (done.has(link) || depth > links.length) return;
    const parent = link.parent ? byName.get(link.parent) : undefined;
    if (parent) visit(parent, depth + 1);
    done.add(link);
  };
  for (const link of links) visit(link, 0);
  return [...done];
}
