import { createHash } from "node:crypto";
import { type Book, books } from "@relevance/demo-data/books.ts";
import { needOf } from "@relevance/lib/search/bulk/needs.ts";
import { semanticSchema } from "@relevance/lib/search/index/semantic-schema.ts";
import { findMapping } from "@relevance/lib/search/resolve/entry.ts";
import type { ModelName } from "@relevance/lib/settings/embedding-models.ts";
import type { EmbeddingMapping, HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import type { Models } from "@relevance/lib/settings/model.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { type GatewayClient, succeeded } from "./gateway-client.ts";

/** The name of the demo index. */
export const DEMO_INDEX = "books";

/**
 * Documents per bulk request. One takes under a second with the stand-in models, so a busy machine stays below API
 * Gateway's 29 s.
 */
const CHUNK = 100;

/** The entry that the demo adds to the mapping's `_meta`. */
interface Marker {
  /** Hash of the schema, the documents and the model servers that computed their vectors. */
  content: string;
  complete: boolean;
}

export interface DemoOptions {
  gateway: GatewayClient;
  /** Entries of hybrid_search.yaml. */
  entries: readonly HybridQuery[];
  /** Dimension of each dense model, as served. */
  dimensions: Readonly<Partial<Record<ModelName, number>>>;
  /** Identifies the model servers. Different servers produce different vectors. */
  models: string;
  /** Whether to delete the index first, whatever it contains. */
  rebuild: boolean;
  say: (line: string) => void;
  /** Aborts filling in the background. */
  signal?: AbortSignal;
  /** Default: the demo catalogue. */
  catalogue?: readonly Book[];
}

/**
 * Creates and fills the demo index through the gateway. Keeps an existing index with the same content and rebuilds one
 * with different or incomplete content. Leaves an index of the user's own with this name alone. Throws LocalError for
 * an index with another vector dimension, with the command that rebuilds it.
 *
 * If books could not be stored, usually because the model server is slower than the gateway's timeout, returns a
 * promise. It resolves when the rest is stored in smaller parts, or after reporting that this failed for good. It never
 * rejects.
 */
export async function ensureDemoIndex(options: DemoOptions): Promise<{ rest: Promise<void> } | undefined> {
  const { gateway, entries, say, signal, catalogue = books() } = options;
  const schema = demoSchema(entries, options.dimensions);
  const content = hash(JSON.stringify([schema, options.models, catalogue]));

  const found = options.rebuild ? undefined : await describe(gateway);
  if (found && !found.marker) {
    say(`the index ${DEMO_INDEX} exists and is not the demo's: it stays as it is`);
    return undefined;
  }
  if (found) refuseOtherDimension(found.properties, entries, options.dimensions);
  if (found?.marker?.complete && found.marker.content === content) return undefined;

  if (found || options.rebuild) await remove(gateway);
  if (found) say("rebuilding the demo index: it has another catalogue or is incomplete");
  return fill(gateway, { schema, content, catalogue, say, signal });
}

/** Returns the embedding mappings of the demo index. Empty if hybrid_search.yaml has none for it. */
export function demoMappings(entries: readonly HybridQuery[]): readonly EmbeddingMapping[] {
  return findMapping(entries, DEMO_INDEX)?.embedding_mappings ?? [];
}

/** Returns the texts of the catalogue that the gateway embeds when it is indexed, each once. */
export function demoTexts(entries: readonly HybridQuery[], catalogue: readonly Book[] = books()): string[] {
  const embedded = catalogue.flatMap(({ id: _id, ...doc }) =>
    demoMappings(entries).flatMap((mapping) => {
      const need = needOf({ op: "index" }, doc, mapping);
      return need.kind === "text" ? need.text : [];
    }),
  );
  return [...new Set(embedded)];
}

/** The body of a request that creates an index. */
export interface IndexBody {
  settings: { index: Record<string, unknown> };
  mappings: Record<string, unknown>;
}

/** Returns the body that creates the demo index. */
export function demoSchema(entries: readonly HybridQuery[], dimensions: DemoOptions["dimensions"]): IndexBody {
  const text = { type: "text" };
  const keyword = { type: "keyword" };
  const base = {
    settings: { index: { number_of_shards: 1, number_of_replicas: 0 } },
    mappings: {
      properties: {
        title: text,
        subtitle: text,
        author: { type: "text", fields: { keyword } },
        categories: keyword,
        description: text,
        published: { type: "date" },
        price: { type: "float" },
        language: keyword,
        in_stock: { type: "boolean" },
        series: keyword,
      },
    },
  };
  if (demoMappings(entries).length === 0) return base;
  const models = Object.fromEntries(Object.entries(dimensions).map(([name, dimension]) => [name, { dimension }]));
  const source = "the demo's own schema";
  const { schema } = semanticSchema({ entries, models: models as Models, index: DEMO_INDEX, base, source });
  // The local models replace the configured ones, so the configured revision would be wrong.
  const { _meta, ...mappings } = schema.mappings;
  return { ...schema, mappings };
}

interface StoredIndex {
  marker: Marker | undefined;
  properties: Record<string, { dimension?: number }>;
}

async function describe(gateway: GatewayClient): Promise<StoredIndex | undefined> {
  const answer = await gateway("GET", `/raw-backend/${DEMO_INDEX}`);
  if (answer.status === 404) return undefined;
  type Description = { mappings?: { _meta?: { relevance_demo?: Marker }; properties?: StoredIndex["properties"] } };
  const indices = succeeded<Record<string, Description>>("reading the demo index", answer);
  const { mappings } = Object.values(indices)[0] ?? {};
  return { marker: mappings?._meta?.relevance_demo, properties: mappings?.properties ?? {} };
}

function refuseOtherDimension(
  properties: StoredIndex["properties"],
  entries: readonly HybridQuery[],
  dimensions: DemoOptions["dimensions"],
): void {
  for (const { embedding_field, model_name } of demoMappings(entries)) {
    const [stored, served] = [properties[embedding_field]?.dimension, dimensions[model_name]];
    if (stored === undefined || served === undefined || stored === served) continue;
    throw new LocalError(
      `${model_name} gives vectors of ${served} dimensions, and ${embedding_field} of the index ${DEMO_INDEX} has ` +
        `${stored}. Rebuild the index, which drops what you added to it: make dev ARGS=--rebuild-demo`,
    );
  }
}

async function remove(gateway: GatewayClient): Promise<void> {
  const answer = await gateway("DELETE", `/raw-backend/${DEMO_INDEX}`);
  if (answer.status !== 404) succeeded("removing the demo index", answer);
}

interface Filling {
  schema: IndexBody;
  content: string;
  catalogue: readonly Book[];
  say: (line: string) => void;
  signal: AbortSignal | undefined;
}

async function fill(gateway: GatewayClient, filling: Filling): ReturnType<typeof ensureDemoIndex> {
  const { schema, content, catalogue, say, signal } = filling;
  const started = performance.now();
  const meta = (complete: boolean) => ({ _meta: { relevance_demo: { content, complete } satisfies Marker } });
  const created = { ...schema, mappings: { ...schema.mappings, ...meta(false) } };
  succeeded("creating the demo index", await gateway("PUT", `/raw-backend/${DEMO_INDEX}`, created));

  let [next, size] = [0, CHUNK];
  /** Stores the next books. If this fails, returns the reason and makes the next part smaller. */
  const store = async (): Promise<unknown> => {
    try {
      await load(gateway, catalogue.slice(next, next + size));
    } catch (error) {
      size = Math.ceil(size / 4);
      return error;
    }
    next = Math.min(next + size, catalogue.length);
    say(`demo index: ${next} of ${catalogue.length} books`);
    return undefined;
  };
  const finish = async () => {
    succeeded("refreshing the demo index", await gateway("POST", `/raw-backend/${DEMO_INDEX}/_refresh`));
    succeeded("marking the demo index", await gateway("PUT", `/raw-backend/${DEMO_INDEX}/_mapping`, meta(true)));
    say(`demo index: filled in ${((performance.now() - started) / 1000).toFixed(1)} s; kept for the next start`);
  };
  const goOn = async () => {
    while (next < catalogue.length && !signal?.aborted) {
      const alone = size === 1;
      const error = await store();
      if (error !== undefined && alone) throw error;
    }
    if (!signal?.aborted) await finish();
  };

  while (next < catalogue.length) {
    const error = await store();
    if (error === undefined) continue;
    say(
      `${messageOf(error)}\ndemo index: is it a slow model server? The rest is stored in smaller parts, while you work`,
    );
    const rest = goOn().catch((failure: unknown) => {
      if (signal?.aborted) return;
      say(`demo index: ${next} of ${catalogue.length} books, and no more until the next start. ${messageOf(failure)}`);
    });
    return { rest };
  }
  await finish();
  return undefined;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function load(gateway: GatewayClient, chunk: readonly Book[]): Promise<void> {
  const bulk_request = chunk.map(({ id, ...doc }) => ({ id, op: "index", doc }));
  type Item = { index: { _id: string; error?: unknown } };
  const { index_response } = succeeded<{ index_response: { errors: boolean; items: Item[] } }>(
    "filling the demo index",
    await gateway("POST", "/application/bulk", { index: DEMO_INDEX, bulk_request }),
  );
  const failed = index_response.items.find(({ index }) => index.error !== undefined);
  if (failed) throw new LocalError(`filling the demo index failed: ${JSON.stringify(failed).slice(0, 1_000)}`);
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
