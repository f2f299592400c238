import { ServiceError } from "../service-error.ts";

const WINDOW_MS = 1000;

/** Limits the calls within one second. */
export class RateLimit {
  #calls = new Map<string, number[]>();
  #most: number;
  #now: () => number;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Throws ThrottlingException above the allowed calls per second for one key. Rejected calls do not count. */
  take(key: string): void {
    const now = this.#now();
    const recent = (this.#calls.get(key) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length >= this.#most) throw new ServiceError("ThrottlingException", "Rate exceeded");
    recent.push(now);
    this.#calls.set(key, recent);
  }
}
