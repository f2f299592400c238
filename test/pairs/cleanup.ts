import { suggestionsAlias } from "../../lib/search/suggest/name.ts";
import { type Cluster, request } from "../fixtures/opensearch.ts";

/** Deletes what a run has created: everything whose name begins with `own`. */
export async function removeAll(cluster: Cluster, own: string): Promise<void> {
  await request(cluster, "DELETE", `/_data_stream/${own}*`);
  await request(cluster, "DELETE", `/_index_template/${own}*`);
  await request(cluster, "DELETE", `/${own}*`);
  await request(cluster, "DELETE", `/${suggestionsAlias(own)}*?expand_wildcards=all`);
  await request(cluster, "DELETE", `/_ingest/pipeline/${own}*`);
  const pipelines = await request<object>(cluster, "GET", `/_search/pipeline/${own}*`);
  const names = pipelines.status === 200 ? Object.keys(pipelines.body) : [];
  for (const name of names) await request(cluster, "DELETE", `/_search/pipeline/${name}`);
}

/** Sends a request to the cluster, and throws unless it succeeds. */
export async function succeed<Body>(cluster: Cluster, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await request<Body>(cluster, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Creates the template of a data stream, or replaces it. */
export const putTemplate = (cluster: Cluster, stream: string, template: object): Promise<unknown> =>
  succeed(cluster, "PUT", `/_index_template/${stream}`, {
    ...{ index_patterns: [stream], data_stream: {}, priority: 900, template },
  });
