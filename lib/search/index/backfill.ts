import type { EmbeddingMapping } from "../gateway/settings.ts";

/** What a backfill calls. Everything throws for any answer but 200. */
export interface GatewayCalls {
  /** Makes all earlier writes searchable, and returns the last sequence number of each shard. */
  marks(): Promise<ReadonlyArray<{ shard: number; last: number }>>;
  /** Runs a native search of one shard through `/raw-backend`. */
  search(shard: number, body: object): Promise<NativeSearch>;
  /** `POST /application/bulk`. */
  bulk(operations: readonly Operation[]): Promise<BulkAnswer>;
}

interface NativeHit {
  _id: string;
  _routing?: string;
  _seq_no: number;
  _source?: Record<string, unknown>;
  matched_queries?: string[];
}
export interface NativeSearch {
  hits: { hits: NativeHit[] };
}
interface Operation {
  id: string;
  op: "update";
  doc: Record<string, unknown>;
  routing?: string;
}
export interface BulkAnswer {
  index_response: { items: Array<Record<string, ItemResult>> };
  degraded?: readonly unknown[];
}
interface ItemResult {
  status: number;
  error?: { type: string; reason: string };
}

export interface BackfillOptions {
  mappings: readonly EmbeddingMapping[];
  /** The dense fields of `mappings`. For these the cluster can tell whether a document has one. */
  dense: ReadonlySet<string>;
  onProgress?: (read: number) => void;
  /** Documents per page. */
  page?: number;
}

export interface BackfillResult {
  /** Documents of the index. */
  read: number;
  /** Documents that have the text and lacked an embedding. */
  lacking: number;
  embedded: number;
  failed: Array<{ id: string; reason: string }>;
}

/** Documents per page: each has its source fields and up to 10 kB of sparse weights. */
const PAGE = 200;

/**
 * Embeds the documents of an index whose embedding field is absent, null or empty although its source fields hold text.
 * Sends an update of the source fields, for which the gateway computes the embedding. Skips all other documents, so it
 * can run again.
 */
export async function backfill(gateway: GatewayCalls, options: BackfillOptions): Promise<BackfillResult> {
  const { mappings, dense, onProgress, page = PAGE } = options;
  const result: BackfillResult = { read: 0, lacking: 0, embedded: 0, failed: [] };
  const sources = [...new Set(mappings.flatMap(({ src_fields }) => src_fields))];
  const sparse = mappings.map(({ embedding_field }) => embedding_field).filter((field) => !dense.has(field));
  // By sequence number, which needs no memory on the heap of the cluster. Updates get numbers above the last one.
  for (const { shard, last } of await gateway.marks()) {
    for (let from = 0; from <= last; ) {
      const { hits } = await gateway.search(shard, {
        size: page,
        track_total_hits: false,
        seq_no_primary_term: true,
        _source: [...sources, ...sparse],
        query: {
          bool: { filter: [{ range: { _seq_no: { gte: from, lte: last } } }], should: [...dense].map(existsNamed) },
        },
        sort: [{ _seq_no: { order: "asc", unmapped_type: "long" } }],
      });
      if (hits.hits.length === 0) break;
      from = (hits.hits.at(-1)?._seq_no ?? last) + 1;
      result.read += hits.hits.length;
      const operations = hits.hits.flatMap((hit) => operationFor(hit, mappings, dense));
      result.lacking += operations.length;
      if (operations.length > 0) record(result, operations, await gateway.bulk(operations));
      onProgress?.(result.read);
    }
  }
  return result;
}

const existsNamed = (field: string) => ({ exists: { field, _name: field } });

/** Returns the update that embeds a document, or undefined if it lacks nothing. */
function operationFor(hit: NativeHit, mappings: readonly EmbeddingMapping[], dense: ReadonlySet<string>): Operation[] {
  const source = hit._source ?? {};
  const lacking = mappings.filter(({ embedding_field, src_fields }) => {
    const has = dense.has(embedding_field)
      ? hit.matched_queries?.includes(embedding_field)
      : !isEmpty(valueAt(source, embedding_field));
    return !has && src_fields.some((field) => hasText(valueAt(source, field)));
  });
  if (lacking.length === 0) return [];
  const doc: Record<string, unknown> = {};
  for (const field of new Set(lacking.flatMap(({ src_fields }) => src_fields))) {
    const value = valueAt(source, field);
    if (value !== undefined) setAt(doc, field, value);
  }
  return [{ id: hit._id, op: "update", doc, ...(hit._routing !== undefined && { routing: hit._routing }) }];
}

function record(result: BackfillResult, operations: readonly Operation[], answer: BulkAnswer): void {
  for (const [place, { id }] of operations.entries()) {
    const item = answer.index_response.items[place]?.update;
    if (item?.error) result.failed.push({ id, reason: `${item.error.type}: ${item.error.reason}` });
    // With `write: degrade` the document may be stored without its vector again.
    else if (answer.degraded) result.failed.push({ id, reason: "the model failed again" });
    else result.embedded += 1;
  }
}

const hasText = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasText) : typeof value === "string" && value.trim() !== "";

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || Object.keys(value as object).length === 0;

function valueAt(source: Record<string, unknown>, path: string): unknown {
  if (source[path] !== undefined) return source[path];
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], source);
}

function setAt(doc: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let at = doc;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[last] = value;
}
