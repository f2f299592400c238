import { createHash } from "node:crypto";
import { lookup } from "../../platform/json/lookup.ts";
import { isObject, parseLossless } from "../../platform/json/values.ts";
import type { EmbeddingMapping } from "../gateway/settings.ts";
import { runIndex } from "../index-meta/run-names.ts";
import { fieldsOfMapping, hasEmbedding } from "../opensearch/index-catalog.ts";
import { type DescribedIndex, describe, requireShown } from "./rebuild/create.ts";
import { readSources, type SourceCopy } from "./rebuild/documents.ts";
import { RunFailure } from "./rebuild/failure.ts";
import { addTo, takeInPlace, type WorkOptions, workThrough } from "./rebuild/in-place.ts";
import type { BackfillRecord } from "./rebuild/in-place-records.ts";
import { openRejects, type Rejects } from "./rebuild/rejects.ts";
import type { RunCalls } from "./rebuild/run-calls.ts";
import { createRecord, newRun, readBackfill } from "./rebuild/run-record.ts";
import { refresh, shardMarks } from "./rebuild/shards.ts";
import type { EmbedDocuments, Update } from "./rebuild/write.ts";

/** Fields to embed. */
export interface BackfillFields {
  mappings: readonly EmbeddingMapping[];
  /** The dense fields of `mappings`. For these the cluster can report whether a document has an embedding. */
  dense: ReadonlySet<string>;
}

export interface BackfillOptions extends BackfillFields, WorkOptions<BackfillRecord> {
  id: string;
  /**
   * Returns a writer that sends updates through the gateway, which embeds them. Reports documents stored without
   * embedding.
   */
  embeddingWriter: (name: string, onDegraded: (reason: string) => void) => EmbedDocuments;
}

/** Rejected documents of one process at which the run stops: then probably all of them fail. */
const MAX_REJECTED = 1_000;

/** Creates a backfill run that adds missing embeddings to an index. Returns its record. */
export async function createBackfill(
  calls: RunCalls,
  { name, now, ...fields }: BackfillFields & { name: string; now: Date },
): Promise<BackfillRecord> {
  const index = await describe(calls, name);
  requireShown(
    index,
    fields.mappings.map(({ embedding_field }) => embedding_field),
  );
  await refresh(calls, index.name);
  const marks = await shardMarks(calls, index.name);
  const record: BackfillRecord = {
    ...newRun(name, now),
    kind: "backfill",
    source: index.name,
    source_uuid: index.uuid,
    embeddings: hashOf(index, fields),
    // Reads by sequence number, which needs no heap memory in the cluster. Updates get numbers above the mark.
    shards: Object.fromEntries(marks.map(({ shard, last }) => [shard, { mark: last, done: -1 }])),
  };
  await createRecord(calls, record);
  return record;
}

/** Documents of one page, from one shard. */
interface Page {
  shard: string;
  copies: readonly SourceCopy[];
  /** All sequence numbers up to this one are on this page or an earlier one. */
  to: number;
  counts?: BackfillRecord["tally"];
}

/**
 * Embeds the documents of an index whose embedding field is absent, null or empty although its source fields contain
 * text. Sends an update of the source fields, for which the gateway computes the embedding, on condition that the
 * document has not changed since it was read. Resumes where an earlier process stopped. Throws RunFailure, after which
 * the run can be resumed.
 */
export async function workOnBackfill(options: BackfillOptions): Promise<BackfillRecord> {
  const { calls, id, mappings } = options;
  const held = await takeInPlace(
    calls,
    () => readBackfill(calls, id),
    (record) => requireSame(calls, record, options),
  );
  const { record } = held;
  const rejects = await openRejects(calls, runIndex(id));
  const stored = fieldsOfMapping((await describe(calls, record.name)).mappings);
  const inProgress: Page[] = [];
  let rejected = 0;
  return workThrough(held, options, pagesOf(options, record, inProgress), async (page) => {
    page.counts = await embedPage(options, record, page, rejects);
    rejected += page.counts.rejected;
    advance(record, inProgress);
    if (rejected > MAX_REJECTED) {
      throw new RunFailure(
        `${rejected} documents were rejected: \`relevance index status --run ${id}\` lists them. Resume to continue after them`,
      );
    }
  });

  async function* pagesOf({ dense }: BackfillFields, { source, shards }: BackfillRecord, open: Page[]) {
    const fields = {
      // Reads whole objects, because an update replaces a list of objects as a whole.
      of: [...mappings.flatMap(({ src_fields }) => src_fields.map(rootOf)), ...sparseOf(mappings, dense)],
      tested: Object.fromEntries([...dense].map((field) => [field, hasEmbedding(stored, field)])),
    };
    for (const [shard, { mark, done }] of Object.entries(shards)) {
      const begin = (copies: readonly SourceCopy[], to: number): Page => {
        const page = { shard, copies, to };
        open.push(page);
        return page;
      };
      for await (const copies of readSources(
        calls,
        source,
        { shard: Number(shard), from: done + 1, to: mark },
        fields,
      )) {
        yield begin(copies, copies.at(-1)?.seqNo ?? mark);
      }
      yield begin([], mark);
    }
  }
}

/** Throws RunFailure if the index or the embedding settings have changed since the run began. */
async function requireSame(calls: RunCalls, record: BackfillRecord, fields: BackfillFields): Promise<void> {
  const { id, name, source, source_uuid } = record;
  const index = await describe(calls, name);
  if (index.name !== source || index.uuid !== source_uuid) {
    throw new RunFailure(`${name} is another index than when the run began: cancel the run ${id} and start a new one`);
  }
  if (hashOf(index, fields) !== record.embeddings) {
    throw new RunFailure(
      `The embedding fields of ${name} or their models have changed since the run began: cancel the run ${id} and start a new one`,
    );
  }
}

/** Returns a hash of the embedding settings. The rest of the mapping may grow with new fields of documents. */
function hashOf({ mappings }: DescribedIndex, fields: BackfillFields): string {
  const meta = (mappings._meta as { relevance?: unknown } | undefined)?.relevance;
  const text = JSON.stringify([fields.mappings, meta]);
  return createHash("sha256").update(text).digest("hex");
}

const sparseOf = (mappings: readonly EmbeddingMapping[], dense: ReadonlySet<string>): string[] =>
  mappings.map(({ embedding_field }) => embedding_field).filter((field) => !dense.has(field));

async function embedPage(
  { embeddingWriter, mappings, dense }: BackfillOptions,
  { name }: BackfillRecord,
  { copies }: Page,
  rejects: Rejects,
): Promise<BackfillRecord["tally"]> {
  const lacking = copies.flatMap((copy) => {
    const operation = updateFor(copy, mappings, dense);
    return operation ? [{ copy, operation }] : [];
  });
  let degraded: string | undefined;
  const write = embeddingWriter(name, (reason) => {
    degraded = reason;
  });
  const outcomes = await write(lacking.map(({ operation }) => operation));
  const counts = { read: copies.length, written: 0, unchanged: copies.length - lacking.length, rejected: 0 };
  for (const [place, { copy }] of lacking.entries()) {
    const outcome = outcomes[place] ?? { kind: "unchanged" as const };
    // With `write: degrade` the gateway stores a document even if the model fails, and does not report its id.
    const reason = outcome.kind === "rejected" ? outcome.reason : degraded;
    if (outcome.kind === "unchanged" || reason === undefined) counts[outcome.kind] += 1;
    else {
      counts.rejected += 1;
      await rejects.add(copy, reason);
    }
  }
  return counts;
}

/** Moves the checkpoints past all consecutive finished pages, and counts these. A resumed run starts there. */
function advance({ shards, tally }: BackfillRecord, inProgress: Page[]): void {
  for (let [page] = inProgress; page?.counts; [page] = inProgress) {
    inProgress.shift();
    addTo(tally, page.counts);
    const state = shards[page.shard];
    if (state) state.done = page.to;
  }
}

/**
 * Returns the update that adds a document's missing embeddings; undefined if none is missing. `dense` are the fields
 * for which the cluster has reported whether the document has them.
 */
function updateFor(
  { id, routing, seqNo, primaryTerm, has, source }: SourceCopy,
  mappings: readonly EmbeddingMapping[],
  dense: ReadonlySet<string>,
): Update | undefined {
  const stored = JSON.parse(source) as Record<string, unknown>;
  const lacking = mappings.filter(({ embedding_field: field, src_fields }) => {
    const isThere = dense.has(field) ? has.includes(field) : !lookup(stored, field).values.every(isEmpty);
    return !isThere && src_fields.some((one) => lookup(stored, one).values.some(hasText));
  });
  if (lacking.length === 0) return undefined;
  const paths = lacking.flatMap(({ src_fields }) => src_fields);
  // Numbers keep their original text.
  const doc = sourcesIn(parseLossless(source) as Record<string, unknown>, paths);
  return {
    op: "update",
    id,
    ...(routing !== undefined && { routing }),
    ifUnchanged: { seqNo, primaryTerm },
    source: JSON.stringify(doc),
  };
}

const hasText = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasText) : typeof value === "string" && value.trim() !== "";

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || Object.keys(value as object).length === 0;

const rootOf = (path: string): string => path.split(".")[0] ?? path;

/**
 * Returns the parts of a document that contain certain fields, in the document's own spelling. Lists of objects are
 * kept whole.
 */
function sourcesIn(node: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  const parts = Object.entries(node).flatMap(([key, value]) => {
    if (paths.includes(key)) return [[key, value]];
    const below = paths.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1));
    if (below.length === 0) return [];
    return [[key, isObject(value) ? sourcesIn(value, below) : value]];
  });
  return Object.fromEntries(parts);
}
