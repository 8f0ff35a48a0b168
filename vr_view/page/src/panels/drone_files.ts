// Files to the drone and from it, by way of the server, and trajectories in files; with their progress.
import type { Connection } from "../link/connection";
import type { Answers } from "./answers";
import { button, element, row } from "./dom";

function upload(file: File, progress: (fraction: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/upload?name=${encodeURIComponent(file.name)}`);
    request.upload.onprogress = (event) => progress(event.loaded / Math.max(event.total, 1));
    request.onerror = () => reject(new Error("the server cannot be reached"));
    request.onload = () => {
      if (request.status !== 200) return reject(new Error(request.statusText || `status ${request.status}`));
      resolve((JSON.parse(request.responseText) as { upload: string }).upload);
    };
    request.send(file);
  });
}

type FileAction = "drone.send_file" | "drone.fly_file";

export class DroneFiles {
  readonly element: HTMLElement;
  private readonly input = element("input");
  private readonly name = element("input", { title: "The name of a file: Fetch takes the drone's, Fly one that the bridge has" });
  private action: FileAction = "drone.send_file";
  private readonly bar = element("progress");
  private readonly state = element("p", { class: "hint" });

  constructor(
    private readonly connection: Connection,
    private readonly answers: Answers,
  ) {
    this.input.type = "file";
    this.input.hidden = true;
    this.input.addEventListener("change", () => void this.send());
    this.name.type = "text";
    this.name.placeholder = "name of a file";
    this.name.maxLength = 64;
    this.name.setAttribute("aria-label", "Name of a file");
    this.bar.max = 1;
    this.bar.hidden = true;
    this.element = element(
      "div",
      { class: "stack" },
      row(
        this.chooser("Send a file…", "Choose a file and send it to the drone", "drone.send_file"),
        this.chooser("Fly a file…", "Choose a trajectory's file and fly it", "drone.fly_file"),
        answers.button("Cancel", "Give up what is under way", "drone.cancel_file"),
      ),
      row(
        this.name,
        this.named("Fetch", "Fetch this file of the drone's", "drone.fetch_file"),
        this.named("Fly", "Fly the trajectory in this file, sent or fetched before", "drone.fly_stored_file"),
      ),
      this.input,
      this.bar,
      this.state,
    );
    connection.topics.on("transfer", ({ name, state, fraction, text }) => {
      this.bar.hidden = !name;
      this.bar.value = fraction;
      this.state.textContent = !name ? "" : `${name}: ${state}, ${Math.round(100 * fraction)} %${text ? ` (${text})` : ""}`;
    });
  }

  private chooser(text: string, title: string, action: FileAction): HTMLButtonElement {
    const made = button(text, title, () => {
      this.action = action;
      this.input.click();
    });
    this.answers.needs(made, action);
    return made;
  }

  private named(text: string, title: string, action: string): HTMLButtonElement {
    const made = button(text, title, () => {
      const name = this.name.value.trim();
      if (name) void this.answers.act(`${text} ${name}`, action, { name });
      else this.answers.say("Which file? Write its name.", "bad");
    });
    this.answers.needs(made, action);
    return made;
  }

  private async send(): Promise<void> {
    const file = this.input.files?.[0];
    this.input.value = "";
    if (!file) return;
    const most = this.connection.hello?.limits.upload_bytes ?? 0;
    if (file.size > most) {
      return this.answers.say(`${file.name} has ${file.size} bytes; ${most} are taken at most`, "bad");
    }
    this.bar.hidden = false;
    try {
      const id = await upload(file, (fraction) => {
        this.bar.value = fraction;
        this.state.textContent = `${file.name}: to the server, ${Math.round(100 * fraction)} %`;
      });
      this.name.value = file.name;
      const what = this.action === "drone.fly_file" ? "Fly" : "Send";
      await this.answers.act(`${what} ${file.name}`, this.action, { upload: id });
    } catch (error) {
      this.answers.say(`${file.name}: ${(error as Error).message}`, "bad");
    }
  }
}
