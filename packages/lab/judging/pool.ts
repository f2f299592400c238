import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import type { SearchAnswer } from "../../clients/typescript/src/types.ts";
import { gatewayCall, type Query, type SettingsFile } from "../evaluation/settings-file.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { documentText } from "./document-text.ts";
import type { Task } from "./judge.ts";

interface PoolOptions {
  file: SettingsFile;
  queries: readonly Query[];
  /** How many hits of each setting are pooled. */
  depth: number;
  /** The fields that the model reads; undefined for all. */
  fields?: readonly string[] | undefined;
  concurrency: number;
}

/**
 * Searches for each query with every setting and returns the first hits of all, each document once for a query, in the order
 * of the queries. Leaves out documents without a text. Throws Failure.
 */
export async function pooledTasks(gateway: Gateway, options: PoolOptions): Promise<Task[]> {
  const { file, queries, depth, fields, concurrency } = options;
  const pools = await concurrently(queries, concurrency, async (query) => {
    const texts = new Map<string, string>();
    for (const setting of file.settings) {
      const { path, body } = gatewayCall(file, setting, query, depth);
      const native = path === "/application/search" ? "search_request" : "search_request_template";
      const request = { ...(body[native] as Record<string, unknown>), _source: fields ?? true };
      const answer = await gateway.post<SearchAnswer>(path, { ...body, [native]: request });
      const { hits } = answer.body.search_response.hits;
      for (const { _id = "", _source = {} } of hits) texts.set(_id, documentText(_source));
    }
    return Array.from(texts, ([document, text]) => ({ queryId: query.id, query: query.text, document, text }));
  });
  return pools.flat().filter(({ text }) => text !== "");
}
