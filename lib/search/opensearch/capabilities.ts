import { ApiError } from "../../platform/http/error.ts";
import { isObject } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { expiring } from "../../platform/resilience/once.ts";
import { jsonOf, readCall } from "./calls.ts";
import { type Capabilities, capabilitiesOf } from "./capabilities-of.ts";
import type { Cluster } from "./cluster.ts";
import { info, nodes } from "./requests.ts";

// In a file of its own, because the console's page needs it in the browser.
export { type Capabilities, capabilitiesOf };

/** Cache lifetime of the version in milliseconds. A domain can be upgraded. */
const KEEP_MS = 10 * 60_000;

/** Returns a function that reads the capabilities from the cluster, and caches them for ten minutes. */
export function createCapabilities(
  cluster: Cluster,
  now?: () => number,
): (deadline: Deadline) => Promise<Capabilities> {
  const read = async (deadline: Deadline) => {
    const answer = jsonOf(await readCall(cluster, info({}), deadline));
    const told = isObject(answer.version) ? answer.version.number : undefined;
    const number = told === COMPATIBLE_WITH ? await versionOfNodes(cluster, deadline) : told;
    if (typeof number !== "string" || !/^\d+\.\d+/.test(number)) {
      throw new ApiError("upstream_failed", "The search cluster did not say which version it is.", { cause: answer });
    }
    return capabilitiesOf(number);
  };
  return expiring(read, () => KEEP_MS, now);
}

/**
 * The Elasticsearch version that a domain reports in compatibility mode (`override_main_response_version`), for clients
 * that refuse OpenSearch.
 */
const COMPATIBLE_WITH = "7.10.2";

/**
 * Returns the lowest version of the cluster's nodes, which differ during an upgrade; undefined if no node reports one.
 */
async function versionOfNodes(cluster: Cluster, deadline: Deadline): Promise<string | undefined> {
  const request = nodes.info({ filter_path: "nodes.*.version" });
  const { nodes: found } = jsonOf(await readCall(cluster, request, deadline));
  const versions = Object.values(isObject(found) ? found : {}).flatMap((node) =>
    isObject(node) && typeof node.version === "string" ? node.version : [],
  );
  return versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))[0];
}
