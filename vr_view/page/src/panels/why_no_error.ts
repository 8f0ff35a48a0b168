// Why there is no error to show: what has never come, what is late, or what does not fit together.
import type { Freshness } from "../link/freshness";

export type Told = "estimate" | "reference" | "error" | "target";
const NEEDED = { estimate: "estimate (/ground_truth/pose)", reference: "reference (/reference/target)" };

/** For a page that is connected and has no fresh error. */
export function whyNoError(freshness: Freshness<Told>): string {
  const names = ["estimate", "reference"] as const;
  const never = names.filter((name) => !freshness.hasCome(name));
  if (never.length) return `No error: no ${never.map((name) => NEEDED[name]).join(" and no ")} has come yet.`;
  const { slowness } = freshness.pace;
  const slow = slowness && `; ${slowness}`;
  const late = names.filter((name) => !freshness.isFresh(name));
  if (late.length) {
    const what = late.map((name) => NEEDED[name]).join(" and ");
    return `No error: nothing new for ${freshness.seconds(...late)} of ${what}${slow}.`;
  }
  const since = freshness.hasCome("error") ? `for ${freshness.seconds("error")}` : "yet";
  return `No error: the times of estimate and reference have not met ${since}${slow}.`;
}
