import { ApiError } from "@relevance/lib/platform/http/error.ts";

/**
 * A usage plan: the limits of one key. If only one of rate and burst is set, the other is 0, as in Terraform's
 * provider.
 */
export interface UsagePlan {
  /** Requests per second. */
  rateLimit?: number;
  /** Size of the token bucket that `rateLimit` refills. */
  burstLimit?: number;
  /** Requests per day, counted from midnight UTC. */
  dailyQuota?: number;
}

const DAY_MS = 86_400_000;

/** Returns a counter of requests by key. It throws `throttled` with `retry-after` above the plan. `now` is in ms. */
export function createUsage(plan: UsagePlan, now: () => number = Date.now): (key: string) => void {
  const missing = (plan.rateLimit ?? plan.burstLimit) === undefined ? Number.POSITIVE_INFINITY : 0;
  const { rateLimit = missing, burstLimit: size = missing, dailyQuota = Number.POSITIVE_INFINITY } = plan;
  const states = new Map<string, { tokens: number; at: number; day: number; used: number }>();

  return (key) => {
    const time = now();
    const day = Math.floor(time / DAY_MS);
    const state = states.get(key) ?? { tokens: size, at: time, day, used: 0 };
    states.set(key, state);
    state.tokens = rateLimit === Number.POSITIVE_INFINITY ? size : refill(state, time);
    state.at = time;
    if (state.day !== day) Object.assign(state, { day, used: 0 });

    if (state.used >= dailyQuota) {
      throw throttled(`The daily quota of ${dailyQuota} requests is used up`, ((day + 1) * DAY_MS - time) / 1000);
    }
    if (state.tokens < 1)
      throw throttled(`More than ${rateLimit} requests a second`, (1 - state.tokens) / (rateLimit || 1));
    state.tokens -= 1;
    state.used += 1;
  };

  function refill(state: { tokens: number; at: number }, time: number): number {
    return Math.min(size, state.tokens + ((time - state.at) / 1000) * rateLimit);
  }
}

function throttled(what: string, seconds: number): ApiError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new ApiError("throttled", `${what}; try again in ${wait} s.`, { headers: { "retry-after": String(wait) } });
}
