import { deadlineIn } from "../../platform/resilience/deadline.ts";
import type { HybridQuery } from "../../settings/hybrid-search.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { createIndexCatalog } from "../opensearch/index-catalog.ts";
import { entryOfAbsent, resolveTarget } from "./target.ts";

/** Deadline (ms). Longer than a run's retries, which have a time limit of their own. */
const PATIENCE_MS = 15 * 60_000;

/** Returns the entry of hybrid_search.yaml that the gateway uses for an index or alias; undefined if there is none. */
export async function entryFor(
  cluster: Cluster,
  indexes: readonly HybridQuery[],
  name: string,
): Promise<HybridQuery | undefined> {
  const resolver = { catalog: createIndexCatalog(cluster), settings: { indexes } };
  const { indexes: found, written } = await resolveTarget(resolver, name, deadlineIn(PATIENCE_MS));
  const entry = found.length === 0 ? entryOfAbsent(resolver.settings, name) : (written ?? found[0])?.entry;
  return indexes.find(({ index }) => index === entry?.index);
}
