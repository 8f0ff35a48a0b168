// Asks for the stereo video while it is to be seen, and brings its images to the eyes.
import { imageBlob } from "../link/image_blob";
import type { Subscriptions } from "../link/subscriptions";
import type { Topics } from "../link/topics";
import type { StereoVideo, VideoMode } from "./stereo_video";

const EYES = ["/viewpoint/left/image_raw/compressed", "/viewpoint/right/image_raw/compressed"] as const;
const RATE = 90; // images per second at most

export class VideoFeed {
  constructor(
    topics: Topics,
    private readonly subscriptions: Subscriptions,
    private readonly video: StereoVideo,
  ) {
    EYES.forEach((topic, eye) => {
      topics.onTopic(topic, "image", (message) => {
        video.show(eye as 0 | 1, imageBlob(message), message.stamp);
      });
    });
  }

  choose({ mode, sideBySide }: { mode: VideoMode; sideBySide: boolean }): void {
    this.video.setMode(mode);
    this.video.setSideBySide(sideBySide);
    const rate = mode === "scene" ? 0 : RATE;
    this.subscriptions.want(this, EYES[0], rate);
    this.subscriptions.want(this, EYES[1], sideBySide ? 0 : rate);
    if (!rate) this.video.clear();
  }
}
