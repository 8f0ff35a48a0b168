// When a lost socket is opened again, and what the page says about it.

export interface Verdict {
  /** Seconds to wait; null: do not connect again by itself. */
  wait: number | null;
  text: string;
}

const FIRST_WAIT = 0.25;
const LONGEST_WAIT = 5;

/** Seconds before the attempt after `failures` failed ones in a row. */
export function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
}

/** What the close code of a socket means; `failures` are those in a row before it. */
export function verdict(code: number, failures: number): Verdict {
  switch (code) {
    case 1008:
      return { wait: null, text: "The server closed the connection: this page sent too much." };
    case 1009:
      return { wait: null, text: "The server closed the connection: a message was too large." };
    case 4001:
      return { wait: null, text: "This page is open elsewhere with the same session." };
    case 4002:
      return { wait: null, text: "Too many pages are open on this server." };
    default:
      return { wait: waitAfter(failures), text: "Connection lost; connecting again…" };
  }
}
