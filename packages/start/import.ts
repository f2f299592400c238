import { semanticSchema } from "@relevance/lib/search/index/semantic-schema.ts";
import { newStamp } from "@relevance/lib/search/index-meta/run-names.ts";
import { loadHybridSearch } from "@relevance/lib/settings/load.ts";
import { type GatewayClient, succeeded } from "@relevance/local/dev/gateway-client.ts";
import type { Document } from "./convert.ts";

/** Documents of a bulk request: below the API's 29 s, with the local models on a busy machine. */
const CHUNK = 100;

/** Time between two lines of progress. */
const PROGRESS_MS = 5_000;

export interface ImportOptions {
  gateway: GatewayClient;
  index: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Creates the index with the fields of embeddings, behind an alias so that it can be rebuilt. Keeps an index that is
 * there. `schema` is the file that it comes from, for messages.
 */
export async function createIndex(
  { gateway, index }: Pick<ImportOptions, "gateway" | "index">,
  { base, file, conf }: { base: unknown; file: string; conf: string },
): Promise<"created" | "kept"> {
  const found = await gateway("GET", `/raw-backend/${index}`);
  if (found.status === 200) return "kept";
  const { hybrid_queries: entries, models } = loadHybridSearch(conf);
  const { schema } = semanticSchema({ entries, models, index, base, source: file });
  const single = { ...schema, settings: { index: { ...schema.settings.index, number_of_replicas: 0 } } };
  const body = { ...single, aliases: { [index]: {} } };
  succeeded(`creating the index ${index}`, await gateway("PUT", `/raw-backend/${index}-${newStamp(new Date())}`, body));
  return "created";
}

/** Import result: count of stored documents, and reasons for the others. */
export interface Imported {
  stored: number;
  refused: string[];
}

/** Stores documents through the gateway, which embeds them, and makes them visible. Reports progress from `done` of `all` on. */
export async function importDocuments(
  options: ImportOptions,
  documents: Iterable<Document>,
  { done = 0, all }: { done?: number; all: number },
): Promise<Imported> {
  const { gateway, index, say, signal } = options;
  const outcome: Imported = { stored: 0, refused: [] };
  let at = done;
  let told = performance.now();
  for (const chunk of chunksOf(documents, CHUNK)) {
    if (signal.aborted) return outcome;
    const bulk_request = chunk.map(({ id, doc }) => ({ id, op: "index", doc }));
    type Item = { index: { _id: string; error?: { reason?: string } } };
    const { index_response } = succeeded<{ index_response: { items: Item[] } }>(
      `storing rows in ${index}`,
      await gateway("POST", "/application/bulk", { index, bulk_request }),
    );
    for (const { index: item } of index_response.items) {
      if (item.error) outcome.refused.push(`${item._id}: ${item.error.reason ?? JSON.stringify(item.error)}`);
      else outcome.stored += 1;
    }
    at += chunk.length;
    if (performance.now() - told < PROGRESS_MS && at !== all) continue;
    told = performance.now();
    say(`${at.toLocaleString("en")} of ${all.toLocaleString("en")} rows`);
  }
  succeeded(`refreshing ${index}`, await gateway("POST", `/raw-backend/${index}/_refresh`));
  return outcome;
}

function* chunksOf<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const value of values) {
    chunk.push(value);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
