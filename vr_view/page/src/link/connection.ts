// The socket: connects, keeps the clock, connects again, and gives each message to one place.
import { Pace } from "./pace";
import { decodeBinary, PROTOCOL, type Haptics, type Hello, type Outgoing, type Result, type TopicMessage } from "./protocol";
import { verdict } from "./reconnecting";
import { ServerClock } from "./server_clock";
import { Topics } from "./topics";

const PING_EVERY = 1000; // ms
const MOST_WAITING = 1 << 16; // bytes: more waiting to be sent means that the link is slower than we
const RELOADED = "truthbed.reloaded";

export interface ConnectionEvents {
  hello(hello: Hello): void;
  /** Everything that the page knows from topics is old from now on. */
  lost(text: string, final: boolean): void;
  haptics(message: Haptics): void;
  error(text: string): void;
}

export class Connection {
  readonly topics = new Topics();
  readonly pace = new Pace(this.topics);
  readonly clock = new ServerClock();
  hello: Hello | null = null;
  private socket: WebSocket | null = null;
  private failures = 0;
  private nextAction = 1;
  private readonly waiting = new Map<number, (result: Result) => void>();
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: string,
    private readonly events: ConnectionEvents,
  ) {
    setInterval(() => this.send({ type: "ping", t: performance.now() / 1e3 }), PING_EVERY);
  }

  /** Open the socket, whatever was open before. */
  connect(): void {
    clearTimeout(this.retry);
    this.socket?.close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket?session=${this.session}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.socket === socket && this.receive(event.data);
    socket.onclose = (event) => this.socket === socket && this.closed(event.code);
    this.socket = socket;
  }

  get connected(): boolean {
    return this.hello !== null;
  }

  /** Send, unless there is nobody; false then. */
  send(message: Outgoing): boolean {
    if (!this.hello || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Send what will soon be old: dropped where the link does not keep up. */
  sendFresh(message: Outgoing): boolean {
    if ((this.socket?.bufferedAmount ?? 0) > MOST_WAITING) return false;
    return this.send(message);
  }

  /** Ask for something to be done; resolves with the server's answer. */
  act(name: string, args: Record<string, unknown> = {}): Promise<Result> {
    const id = this.nextAction++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      if (!this.send({ type: "action", id, name, arguments: args })) this.fail(id, "not connected");
    });
  }

  private fail(id: number, text: string): void {
    this.waiting.get(id)?.({ type: "result", id, ok: false, text });
    this.waiting.delete(id);
  }

  private receive(data: string | ArrayBuffer): void {
    const message = (typeof data === "string" ? JSON.parse(data) : decodeBinary(data)) as { type?: string };
    switch (message.type ?? "topic") {
      case "hello":
        return this.greet(message as Hello);
      case "pong": {
        const { t, time } = message as unknown as { t: number; time: number };
        return this.clock.add(t, performance.now() / 1e3, time);
      }
      case "result": {
        const result = message as Result;
        this.waiting.get(result.id)?.(result);
        this.waiting.delete(result.id);
        return;
      }
      case "haptics":
        return this.events.haptics(message as Haptics);
      case "error":
        return this.events.error((message as unknown as { text: string }).text);
      case "topic":
        return this.topics.emit(message as unknown as TopicMessage);
    }
  }

  private greet(hello: Hello): void {
    if (hello.protocol !== PROTOCOL) {
      this.socket?.close();
      return this.mismatch(hello.protocol);
    }
    sessionStorage.removeItem(RELOADED);
    this.failures = 0;
    this.hello = hello;
    this.clock.start(performance.now() / 1e3, hello.time);
    this.events.hello(hello);
    this.send({ type: "ping", t: performance.now() / 1e3 });
  }

  private mismatch(theirs: number): void {
    const text = `The server speaks protocol ${theirs}, this page ${PROTOCOL}.`;
    if (sessionStorage.getItem(RELOADED)) return this.events.lost(text, true);
    sessionStorage.setItem(RELOADED, "yes");
    location.reload();
  }

  private closed(code: number): void {
    this.hello = null;
    this.pace.clear();
    for (const id of [...this.waiting.keys()]) this.fail(id, "the connection was lost");
    const { wait, text } = verdict(code, this.failures++);
    this.events.lost(text, wait === null);
    if (wait !== null) this.retry = setTimeout(() => void this.again(), wait * 1e3);
  }

  /** A refused token cannot be told from a server that is away by the socket alone: ask. */
  private async again(): Promise<void> {
    const answer = await fetch("/scene", { cache: "no-store" }).catch(() => null);
    if (answer?.status === 401) {
      this.events.lost("This server wants a token: open the link that it printed, with ?token=…", true);
      return;
    }
    this.connect();
  }
}
