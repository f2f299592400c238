import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";

export { entryFor } from "../../lib/search/resolve/entry-for.ts";

/** Returns the cluster as the calls of a run reach it. */
export const patientCluster = (calls: RunCalls): Cluster => ({ send: (request) => calls.send(request, [404]) });
