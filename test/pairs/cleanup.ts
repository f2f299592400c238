import { suggestionsAlias } from "../../lib/search/suggest/name.ts";
import { type Cluster, request } from "../fixtures/opensearch.ts";

/** Deletes what a run has created: everything whose name begins with `own`. */
export async function removeAll(cluster: Cluster, own: string): Promise<void> {
  await request(cluster, "DELETE", `/_data_stream/${own}*`);
  await request(cluster, "DELETE", `/_index_template/${own}*`);
  await request(cluster, "DELETE", `/${own}*`);
  await request(cluster, "DELETE", `/${suggestionsAlias(own)}*?expand_wildcards=all`);
  await request(cluster, "DELETE", `/_ingest/pipeline/${own}*`);
}
