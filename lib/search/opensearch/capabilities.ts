import { ApiError } from "../../core/http/error.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { jsonOf, readCall } from "./calls.ts";
import type { Cluster } from "./cluster.ts";

/** What the cluster's version can do for hybrid search. Sources: OpenSearch release notes and neural-search 1754. */
export interface Capabilities {
  version: string;
  /** `hybrid` with oversample and truncate_hits: 2.12. */
  hybrid: boolean;
  /** `neural_sparse` with `query_tokens`: 2.14. */
  queryTokens: boolean;
  /** `pagination_depth`, and so `from`: 2.19. */
  pagination: boolean;
  /** The response processor `hybrid_score_explanation`: 2.19. */
  scoreExplanation: boolean;
  /** `profile: true` with hybrid: 3.6; before, every such search fails. */
  hybridProfile: boolean;
}

export function capabilitiesOf(version: string): Capabilities {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const atLeast = (wantedMajor: number, wantedMinor: number) =>
    major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  return {
    version,
    hybrid: atLeast(2, 12),
    queryTokens: atLeast(2, 14),
    pagination: atLeast(2, 19),
    scoreExplanation: atLeast(2, 19),
    hybridProfile: atLeast(3, 6),
  };
}

/** An upgraded domain answers with another version, so what is known is asked again after a while. */
const KEEP_MS = 10 * 60_000;

/** Asks the cluster for its version when it is first needed. */
export function createCapabilities(
  cluster: Cluster,
  now: () => number = () => performance.now(),
): (deadline: Deadline) => Promise<Capabilities> {
  let known: { until: number; value: Capabilities } | undefined;
  return async (deadline) => {
    if (known && known.until > now()) return known.value;
    const info = jsonOf(await readCall(cluster, { method: "GET", path: "/" }, deadline));
    const number = (info as { version?: { number?: unknown } }).version?.number;
    if (typeof number !== "string") {
      throw new ApiError("upstream_failed", "The search cluster did not say which version it is.", { cause: info });
    }
    known = { until: now() + KEEP_MS, value: capabilitiesOf(number) };
    return known.value;
  };
}
