import type { HybridQuery } from "../../lib/config/hybrid-search.ts";
import { deadlineIn } from "../../lib/core/resilience/deadline.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";
import { createIndexCatalog } from "../../lib/search/opensearch/index-catalog.ts";
import { entryOfAbsent, resolveTarget } from "../../lib/search/target/target.ts";

/** Longer than calls of a run are repeated, which decide themselves when to give up. */
const PATIENCE_MS = 15 * 60_000;

/** Returns the entry of hybrid_search.yaml that the gateway uses for an index or alias; undefined if it has none. */
export async function entryFor(
  cluster: Cluster,
  indexes: readonly HybridQuery[],
  name: string,
): Promise<HybridQuery | undefined> {
  const services = { catalog: createIndexCatalog(cluster), settings: { indexes } };
  const { indexes: found, written } = await resolveTarget(services, name, deadlineIn(PATIENCE_MS));
  const entry = found.length === 0 ? entryOfAbsent(services.settings, name) : (written ?? found[0])?.entry;
  return indexes.find(({ index }) => index === entry?.index);
}

/** Returns the cluster as the calls of a run reach it. */
export const patientCluster = (calls: RunCalls): Cluster => ({ send: (request) => calls.send(request, [404]) });
