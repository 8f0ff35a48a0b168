// One rate: it is set and awaited first, then stated, so that nobody counts on another.

type RatedSession = Pick<XRSession, "supportedFrameRates" | "frameRate" | "updateTargetFrameRate">;

/** The highest rate offered that is not above the wish; else the lowest offered. */
export function chosenRate(offered: Iterable<number>, wished: number): number | null {
  const rates = [...offered].sort((a, b) => a - b);
  return rates.filter((rate) => rate <= wished + 0.5).at(-1) ?? rates[0] ?? null;
}

/** Ask the session for a rate near `wished`; resolves with the rate it has then, null if it tells none. */
export async function acceptRate(session: RatedSession, wished: number): Promise<number | null> {
  const rate = chosenRate(session.supportedFrameRates ?? [], wished);
  if (rate !== null && session.updateTargetFrameRate) {
    await session.updateTargetFrameRate(rate).catch(() => undefined);
  }
  return session.frameRate ?? null;
}
