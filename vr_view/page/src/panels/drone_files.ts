// Sends a file to the server and from there over the drone's link, with the progress of both.
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

export class DroneFiles {
  readonly element: HTMLElement;
  private readonly input = element("input");
  private readonly bar = element("progress");
  private readonly state = element("p", { class: "hint" });

  constructor(
    private readonly connection: Connection,
    private readonly answers: Answers,
  ) {
    this.input.type = "file";
    this.input.hidden = true;
    this.input.addEventListener("change", () => void this.send());
    const choose = button("Send a file…", "Choose a file and send it to the drone", () => this.input.click());
    answers.needs(choose, "drone.send_file");
    const cancel = answers.button("Cancel", "Stop sending", "drone.cancel_file");
    this.bar.max = 1;
    this.bar.hidden = true;
    this.element = element("div", {}, row(choose, cancel), this.input, this.bar, this.state);
    connection.topics.on("transfer", ({ name, state, fraction, text }) => {
      this.bar.hidden = false;
      this.bar.value = fraction;
      this.state.textContent = `${name}: ${state}, ${Math.round(100 * fraction)} %${text ? ` (${text})` : ""}`;
    });
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
      await this.answers.act(`Send ${file.name}`, "drone.send_file", { upload: id });
    } catch (error) {
      this.answers.say(`${file.name}: ${(error as Error).message}`, "bad");
    }
  }
}
