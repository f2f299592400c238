import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "../../../platform/json/values.ts";
import { clusterError } from "../../opensearch/calls.ts";
import { type Cluster, type ClusterAnswer, ClusterFailure, type ClusterRequest } from "../../opensearch/cluster.ts";
import { RunFailure, Stopped } from "./failure.ts";
import type { Pace } from "./pace.ts";
import { documents, indices } from "./requests.ts";

/** Calls of a run. Each may be repeated: writes have versions, and records are conditional on their sequence number. */
export interface RunCalls {
  /**
   * Sends a call until it has an answer other than "busy". Throws RunFailure for an answer of 400 or above that
   * `accept` does not list, and after ten minutes without an answer.
   */
  send(request: ClusterRequest, accept?: readonly number[]): Promise<ClusterAnswer>;
  /** The same, but returns the JSON object of the answer. */
  json(request: ClusterRequest, accept?: readonly number[]): Promise<Record<string, unknown>>;
  /** Sends a call once. For calls whose outcome is read back. */
  once(request: ClusterRequest): Promise<ClusterAnswer>;
  pace: Pace;
  wait: (ms: number) => Promise<unknown>;
  /** The same calls without the abort signal, for cleaning up. */
  unstopped: RunCalls;
}

export interface RunCallsOptions {
  cluster: Cluster;
  pace: Pace;
  signal?: AbortSignal | undefined;
  /** Called from time to time, with the reason, while calls fail and are retried. */
  onTrouble?: ((reason: string) => void) | undefined;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

const CALL_MS = 60_000;
const PATIENCE_MS = 10 * 60_000;
const LONGEST_DELAY_MS = 10_000;

/** Milliseconds during which calls may fail before `onTrouble` is called. */
const QUIET_MS = 3_000;

const TELL_MS = 15_000;

/** Statuses of a cluster or gateway that is busy or unavailable. */
const BUSY = new Set([429, 500, 502, 503, 504]);

export function createRunCalls(options: RunCallsOptions): RunCalls {
  const { cluster, pace, signal, onTrouble, wait = sleep, now = () => performance.now() } = options;
  let told = Number.NEGATIVE_INFINITY;
  const checkStop = () => {
    if (signal?.aborted) throw new Stopped("The run was stopped. Resume it to continue.");
  };

  const calls: RunCalls = {
    pace,
    wait,
    async send(request, accept = []) {
      const begun = now();
      const end = begun + PATIENCE_MS;
      for (let attempt = 0; ; attempt += 1) {
        checkStop();
        const outcome = await pace.run(() => attemptOf(cluster, request));
        if (!(outcome instanceof ClusterFailure) && !isBusy(request, outcome)) {
          pace.succeeded();
          if (outcome.status < 400 || accept.includes(outcome.status)) return outcome;
          throw refusal(request, outcome);
        }
        if (outcome instanceof ClusterFailure && outcome.kind === "too_large") throw outcome;
        pace.refused();
        const delay = Math.min(LONGEST_DELAY_MS, 100 * 2 ** attempt) * (0.5 + Math.random() / 2);
        if (now() + delay > end) {
          if (outcome instanceof ClusterFailure) {
            throw new RunFailure(`The cluster cannot be reached: ${outcome.message}`, { cause: outcome });
          }
          throw refusal(request, outcome);
        }
        if (now() - begun >= QUIET_MS && now() - told >= TELL_MS) {
          told = now();
          onTrouble?.(outcome instanceof ClusterFailure ? outcome.message : refusal(request, outcome).message);
        }
        await wait(delay);
      }
    },
    async json(request, accept) {
      const parsed = parseJson((await calls.send(request, accept)).body);
      if (isObject(parsed)) return parsed;
      throw new RunFailure(`The cluster answered ${request.method} ${request.path} with something other than JSON`);
    },
    once: (request) => cluster.send(request, CALL_MS),
    get unstopped() {
      return signal ? createRunCalls({ ...options, signal: undefined }) : calls;
    },
  };
  return calls;
}

/**
 * Returns whether a retry may succeed. If the creation of an index fails with a plugin's plain exception, as for a
 * `semantic` field without its model, it will not; it is the first call of a run, which can be started again.
 */
function isBusy({ method, path }: ClusterRequest, { status, body }: ClusterAnswer): boolean {
  const isCreation = method === "PUT" && !path.includes("/", 1);
  return (
    BUSY.has(status) && !(isCreation && status === 500 && clusterError(parseJson(body)).type === "runtime_exception")
  );
}

async function attemptOf(cluster: Cluster, request: ClusterRequest): Promise<ClusterAnswer | ClusterFailure> {
  try {
    return await cluster.send(request, CALL_MS);
  } catch (error) {
    if (error instanceof ClusterFailure) return error;
    throw error;
  }
}

function refusal({ method, path }: ClusterRequest, { status, body }: ClusterAnswer): RunFailure {
  const { type, reason } = clusterError(parseJson(body));
  const advice = type === "forbidden" ? " docs/guides/indexes.md says which key the command needs." : "";
  return new RunFailure(`The cluster answered ${method} ${path} with ${status}: ${type}: ${reason}${advice}`);
}

const PAGE = 1_000;

interface Hit {
  _id: string;
  _seq_no: number;
  _source?: Record<string, unknown>;
}

/** Yields the documents of the index of a run, with the given fields only. */
export async function* scanRun(calls: RunCalls, index: string, fields: readonly string[]): AsyncGenerator<Hit> {
  await calls.json(indices.refresh({ index }));
  for (let from = 0; ; ) {
    const body = {
      size: PAGE,
      _source: fields,
      seq_no_primary_term: true,
      query: { range: { _seq_no: { gte: from } } },
      sort: [{ _seq_no: { order: "asc", unmapped_type: "long" } }],
    };
    const answer = (await calls.json(documents.search({ index, body }))) as { hits?: { hits: Hit[] } };
    const hits = answer.hits?.hits ?? [];
    yield* hits;
    const last = hits.at(-1);
    if (!last || hits.length < PAGE) return;
    from = last._seq_no + 1;
  }
}
