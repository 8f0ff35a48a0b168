// What is looked at and how: free view, the pilot's viewpoint, stereo video, what is drawn.
import { fixed } from "../core/numbers";
import type { Connection } from "../link/connection";
import type { Overlays, Part } from "../overlays/overlays";
import type { FollowCamera } from "../view/follow_camera";
import { MODES, type Mode, type Viewpoint } from "../view/viewpoint";
import type { StereoVideo, UvRange, VideoMode } from "../xr/stereo_video";
import { Answers } from "./answers";
import { button, checkbox, choice, element, labelled, row, slider } from "./dom";
import { panelOf, type Panel } from "./side";

const MODE_TEXT: Record<Mode, [string, string]> = {
  fixed: ["Fixed", "Stand at a place of the room"],
  free_look: ["Drone's eyes", "Through the drone's camera, the head turns freely"],
  steered: ["Steered", "Through the drone's camera, its yaw taken out, no roll"],
  orbit: ["Orbit", "Around the target at a set distance, by yaw and pitch of the head"],
  follow: ["Follow", "Behind the target, smoothed"],
};
const PARTS: [Part, string][] = [
  ["scan", "Laser points"],
  ["estimate", "Estimate"],
  ["reference", "Reference"],
  ["trails", "Trails"],
  ["markers", "Zone and targets"],
];

export interface VideoChoice {
  mode: VideoMode;
  sideBySide: boolean;
}

export interface ViewPanelParts {
  connection: Connection;
  overlays: Overlays;
  follow: FollowCamera;
  viewpoint: Viewpoint;
  video: StereoVideo;
  /** Make where the head is the middle, on this page. */
  recentre(): void;
  /** The user has chosen another video. */
  videoChosen(choice: VideoChoice): void;
}

export class ViewPanel implements Panel {
  readonly name = "View";
  readonly element: HTMLElement;
  private readonly answers: Answers;
  private readonly modes = new Map<Mode, HTMLButtonElement>();
  private readonly followed = choice([["", "nothing"]], (frame) => (this.parts.follow.frame = frame || null));
  private readonly video: VideoChoice = { mode: "scene", sideBySide: false };

  constructor(private readonly parts: ViewPanelParts) {
    this.answers = new Answers(parts.connection);
    this.element = panelOf(
      labelled("Go along with", this.followed),
      element("h2", { text: "Pilot's viewpoint" }),
      this.modeButtons(),
      element("h2", { text: "In the headset" }),
      ...this.videoControls(),
      element("h2", { text: "Drawn" }),
      this.partBoxes(),
      this.answers.element,
    );
    parts.connection.topics.on("text", ({ topic, text }) => {
      if (topic.endsWith("/mode_state") && MODES.includes(text as Mode)) this.setMode(text as Mode);
    });
    this.setMode(parts.viewpoint.mode);
  }

  /** Robots of the scene that can be followed, by name and root frame. */
  setRobots(robots: [string, string][]): void {
    const options = [["", "nothing"], ...robots.map(([name, frame]) => [frame, name])];
    this.followed.replaceChildren(
      ...options.map(([value, text]) => Object.assign(element("option", { text }), { value })),
    );
    this.parts.follow.frame = null;
  }

  private modeButtons(): HTMLElement {
    const buttons = MODES.map((mode) => {
      const [text, title] = MODE_TEXT[mode];
      const made = button(text, title, () => void this.chooseMode(mode));
      this.modes.set(mode, made);
      return made;
    });
    const recentre = button("Recentre", "Here, and ahead, is the middle", () => void this.recentre());
    return row(...buttons, recentre);
  }

  private async recentre(): Promise<void> {
    this.parts.recentre();
    if (this.parts.connection.hello?.actions.includes("viewpoint.recentre")) {
      await this.answers.act("Recentre", "viewpoint.recentre");
    }
  }

  private async chooseMode(mode: Mode): Promise<void> {
    this.setMode(mode);
    const { hello } = this.parts.connection;
    // A guest chooses for its own eyes only.
    if (hello?.actions.includes("viewpoint.mode")) {
      await this.answers.act(MODE_TEXT[mode][0], "viewpoint.mode", { name: mode });
    }
  }

  private setMode(mode: Mode): void {
    this.parts.viewpoint.choose(mode);
    for (const [each, made] of this.modes) made.setAttribute("aria-pressed", String(each === mode));
  }

  private videoControls(): HTMLElement[] {
    const names: [VideoMode, string][] = [
      ["scene", "scene"],
      ["video", "video"],
      ["over", "video over scene"],
    ];
    const mode = choice(names, (value) => {
      this.video.mode = value as VideoMode;
      this.parts.videoChosen({ ...this.video });
    });
    const halves = checkbox(false, (on) => {
      this.video.sideBySide = on;
      this.parts.videoChosen({ ...this.video });
    });
    const crop = slider(-0.5, 0.4, 0.05, 0);
    crop.title = "0: the whole image; more: less of it, larger; less: smaller, with an edge";
    const shown = element("output", { text: "0.00" });
    crop.addEventListener("input", () => {
      const edge = Number(crop.value);
      shown.textContent = fixed(edge, 2);
      this.parts.video.setRange([edge, 1 - edge, edge, 1 - edge] satisfies UvRange);
    });
    const side = labelled("Both eyes in one image", halves);
    const cropped = labelled("Crop", crop);
    cropped.append(shown);
    return [labelled("Show", mode), cropped, side];
  }

  private partBoxes(): HTMLElement {
    const boxes = PARTS.map(([part, text]) => {
      const box = checkbox(true, (on) => (this.parts.overlays.parts[part].visible = on));
      return element("label", { class: "check" }, box, element("span", { text }));
    });
    return element("div", {}, ...boxes);
  }
}
