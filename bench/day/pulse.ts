/** A time from its begin to its end, in milliseconds since 1970. */
export interface Span {
  begin: number;
  end: number;
}

const BEAT_MS = 100;
/** A shorter delay does not make a call miss its timeout, the shortest of which is one second. */
const STALL_MS = 500;

/** Records when this process could not run although it had something to do: the machine was overloaded. */
export function startPulse(): { stalls: readonly Span[]; stop(): void } {
  const stalls: Span[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > STALL_MS) stalls.push({ begin: last, end: now });
    last = now;
  }, BEAT_MS);
  return { stalls, stop: () => clearInterval(timer) };
}
