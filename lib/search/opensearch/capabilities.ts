import { ApiError } from "../../core/http/error.ts";
import { isObject } from "../../core/json/values.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { jsonOf, readCall } from "./calls.ts";
import type { Cluster } from "./cluster.ts";

/** What the cluster's version supports for hybrid search. Sources: OpenSearch release notes and neural-search #1754. */
export interface Capabilities {
  version: string;
  /** `hybrid` queries with the oversample and truncate_hits processors, since 2.12. */
  hybrid: boolean;
  /** `neural_sparse` queries with `query_tokens`, since 2.14. */
  queryTokens: boolean;
  /** `pagination_depth` and thereby `from`, since 2.19. */
  pagination: boolean;
  /** The response processor `hybrid_score_explanation`, since 2.19. */
  scoreExplanation: boolean;
  /** The `score-ranker-processor`, which fuses by reciprocal rank, since 2.19. */
  rrf: boolean;
  /** Its weights, and ranks over all shards. 3.6.0 has them and 2.19.6 does not; versions between were not tested. */
  weightedRrf: boolean;
  /** Normalization by z_score, since 3.0. */
  zScore: boolean;
  /** `profile: true` with `hybrid`, since 3.6. Earlier versions fail every such search. */
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
    rrf: atLeast(2, 19),
    weightedRrf: atLeast(3, 6),
    zScore: atLeast(3, 0),
    hybridProfile: atLeast(3, 6),
  };
}

/** Milliseconds that the version is kept. It is read again because a domain can be upgraded. */
const KEEP_MS = 10 * 60_000;

/** Returns a function that reads the capabilities from the cluster when needed, and keeps them for ten minutes. */
export function createCapabilities(
  cluster: Cluster,
  now: () => number = () => performance.now(),
): (deadline: Deadline) => Promise<Capabilities> {
  let known: { until: number; value: Capabilities } | undefined;
  return async (deadline) => {
    if (known && known.until > now()) return known.value;
    const info = jsonOf(await readCall(cluster, { method: "GET", path: "/" }, deadline));
    const told = isObject(info.version) ? info.version.number : undefined;
    const number = told === COMPATIBLE_WITH ? await versionOfNodes(cluster, deadline) : told;
    if (typeof number !== "string" || !/^\d+\.\d+/.test(number)) {
      throw new ApiError("upstream_failed", "The search cluster did not say which version it is.", { cause: info });
    }
    known = { until: now() + KEEP_MS, value: capabilitiesOf(number) };
    return known.value;
  };
}

/**
 * The version of Elasticsearch that a domain in compatibility mode (`override_main_response_version`) claims to be, for
 * clients that refuse OpenSearch.
 */
const COMPATIBLE_WITH = "7.10.2";

/** Returns the lowest version of the cluster's nodes, which differ during an upgrade; undefined if none tells it. */
async function versionOfNodes(cluster: Cluster, deadline: Deadline): Promise<string | undefined> {
  const query = "filter_path=nodes.*.version";
  const { nodes } = jsonOf(await readCall(cluster, { method: "GET", path: "/_nodes", query }, deadline));
  const versions = Object.values(isObject(nodes) ? nodes : {}).flatMap((node) =>
    isObject(node) && typeof node.version === "string" ? node.version : [],
  );
  return versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))[0];
}
