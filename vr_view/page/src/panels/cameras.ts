// Images of cameras; each is asked for only while it is shown here.
import type { Connection } from "../link/connection";
import { imageBlob } from "../link/image_blob";
import type { TopicMessage } from "../link/protocol";
import type { Subscriptions } from "../link/subscriptions";
import { NewestImage } from "../xr/newest_image";
import { checkbox, element } from "./dom";
import { panelOf, type Panel } from "./side";

const RATE = 15; // images per second

class CameraView {
  readonly element = element("figure", { class: "camera" });
  private readonly canvas = element("canvas");
  private readonly images = new NewestImage((bitmap) => this.draw(bitmap));
  private wanted = false;

  constructor(
    readonly topic: string,
    private readonly subscriptions: Subscriptions,
  ) {
    const box = checkbox(false, (on) => this.switch(on));
    const label = element("label", { class: "check" }, box, element("span", { text: topic }));
    this.canvas.hidden = true;
    this.element.append(element("figcaption", {}, label), this.canvas);
  }

  /** The panel comes into sight, or goes. */
  shown(visible: boolean): void {
    this.subscriptions.want(this, this.topic, visible && this.wanted ? RATE : 0);
  }

  take(message: TopicMessage<"image">): void {
    if (this.wanted) this.images.offer(imageBlob(message), message.stamp);
  }

  clear(): void {
    this.images.clear();
    this.canvas.getContext("2d")?.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  private switch(on: boolean): void {
    this.wanted = on;
    this.canvas.hidden = !on;
    this.shown(true);
    if (!on) this.clear();
  }

  private draw(bitmap: ImageBitmap): void {
    if (this.canvas.width !== bitmap.width || this.canvas.height !== bitmap.height) {
      Object.assign(this.canvas, { width: bitmap.width, height: bitmap.height });
    }
    this.canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    bitmap.close();
  }
}

export class CamerasPanel implements Panel {
  readonly name = "Cameras";
  readonly element = panelOf();
  private readonly views = new Map<string, CameraView>();

  constructor(
    private readonly connection: Connection,
    private readonly subscriptions: Subscriptions,
  ) {
    connection.topics.on("image", (message) => this.views.get(message.topic)?.take(message));
  }

  /** The server has told its topics. */
  connected(): void {
    const offers = this.connection.hello?.topics.filter((offer) => offer.kind === "image") ?? [];
    for (const { topic } of offers) {
      if (!this.views.has(topic)) this.views.set(topic, new CameraView(topic, this.subscriptions));
    }
    const shown = offers.map(({ topic }) => this.views.get(topic)!.element);
    this.element.replaceChildren(...(shown.length ? shown : ["The server offers no images."]));
  }

  lost(): void {
    for (const view of this.views.values()) view.clear();
  }

  shown(visible: boolean): void {
    for (const view of this.views.values()) view.shown(visible);
  }
}
