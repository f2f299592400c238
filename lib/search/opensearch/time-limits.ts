import type { Cluster, ClusterAnswer, ClusterRequest } from "./cluster.ts";

/** Time limits of a search, as the caller sent them. */
export interface AskedTimes {
  /**
   * Time after which the hits collected so far are returned. Null if the call has no such parameter, as in `_msearch`.
   */
  timeout: unknown;
  /** Time after which the search ends with an error. */
  cancelAfter?: unknown;
}

/**
 * Time reserved for the answer of a search that timed out, and of one that was cancelled, which is short; at most this
 * share of the call's time. The cluster's clock ticks five times a second, so very short timeouts often return nothing.
 */
const TIMEOUT_MARGIN = { ms: 1_200, share: 0.6 };
const CANCEL_MARGIN = { ms: 200, share: 0.3 };

/** Clusters without `cancel_after_time_interval`, which OpenSearch 1.1 introduced. */
const CANNOT_CANCEL = new WeakSet<Cluster>();

/**
 * Returns a cluster that ends each search shortly before its call times out, or at the caller's own limit. Otherwise
 * the cluster would go on with a search without a reader. The limits are query string parameters, which override the
 * body and the cluster's `search.default_search_timeout`, so the body stays unchanged.
 */
export function timeLimited(cluster: Cluster, asked: AskedTimes): Cluster {
  return {
    async send(request, timeoutMs) {
      const send = (cancels: boolean) => cluster.send(limited(request, timeoutMs, asked, cancels), timeoutMs);
      if (CANNOT_CANCEL.has(cluster)) return send(false);
      const answer = await send(true);
      if (!isUnknown(answer)) return answer;
      // The cluster refuses an unknown parameter before it executes anything.
      CANNOT_CANCEL.add(cluster);
      return send(false);
    },
  };
}

const isUnknown = ({ status, body }: ClusterAnswer) =>
  status === 400 && body.includes("unrecognized parameter: [cancel_after_time_interval]");

function limited(
  request: ClusterRequest,
  callMs: number,
  { timeout, cancelAfter }: AskedTimes,
  cancels: boolean,
): ClusterRequest {
  const times = [
    ...(timeout === null ? [] : [`timeout=${shorter(timeout, steady(without(TIMEOUT_MARGIN, callMs)))}ms`]),
    ...(cancels ? [`cancel_after_time_interval=${shorter(cancelAfter, without(CANCEL_MARGIN, callMs))}ms`] : []),
  ];
  return { ...request, query: [...(request.query ? [request.query] : []), ...times].join("&") };
}

const without = ({ ms, share }: typeof TIMEOUT_MARGIN, callMs: number) => callMs - Math.min(ms, share * callMs);

/** Rounds to whole seconds: the timeout is part of the key of the cluster's request cache. */
const steady = (ms: number) => (ms > 2_000 ? Math.floor(ms / 1_000) * 1_000 : ms);

const shorter = (asked: unknown, ours: number) => Math.max(1, Math.floor(Math.min(ours, milliseconds(asked) ?? ours)));

const UNITS: Readonly<Record<string, number>> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns the milliseconds of a time such as `5s`; undefined for other values and for `-1`, which means no limit. */
export function milliseconds(time: unknown): number | undefined {
  const [, count, unit = ""] = typeof time === "string" ? (/^\s*(\d+)([a-z]+)\s*$/i.exec(time) ?? []) : [];
  const ms = Number(count) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}
