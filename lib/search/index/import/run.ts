import { runIndex } from "../../index-meta/run-names.ts";
import { fieldsOfMapping, type IndexField } from "../../opensearch/index-catalog.ts";
import { RunFailure } from "../rebuild/failure.ts";
import { addTo, MOST_PARTS, takeInPlace, type WorkOptions, workThrough } from "../rebuild/in-place.ts";
import { type ImportRecord, type ImportTally, TALLIED } from "../rebuild/in-place-records.ts";
import { indices } from "../rebuild/requests.ts";
import type { RunCalls } from "../rebuild/run-calls.ts";
import { readImport } from "../rebuild/run-record.ts";
import { refresh } from "../rebuild/shards.ts";
import { importWriter, type WriteCopies } from "../rebuild/write.ts";
import { readFiles } from "./create.ts";
import { type Parsed, parseSlice } from "./parse.ts";
import { type OpenFile, readSlices, type Slice } from "./slices.ts";

export interface ImportOptions extends WorkOptions<ImportRecord> {
  id: string;
  open: OpenFile;
  /** The most rejected documents of the whole run before it stops. Default: as before, or {@link MAX_REJECTED}. */
  maxRejected?: number | undefined;
  /**
   * Returns a writer that embeds documents, and reports those stored without embedding. Required for imports that
   * embed.
   */
  embeddingWriter?: (name: string, onDegraded: (reason: string) => void) => WriteCopies;
}

/** Lower bits of a version, which contain the slice number. */
const SLICE_BITS = 22;

/** Rejected documents above which an import stops by default. */
const MAX_REJECTED = 1_000;

/** The smallest batch, even if fewer documents may still be rejected: one request of an import that embeds. */
const SMALLEST_BATCH = 64;

/**
 * Works on an import until all files are written. Resumes where an earlier process stopped. Throws RunFailure, after
 * which the run can be resumed.
 *
 * Each document has the external version `seconds since 2020 × 2^22 + slice number`. So writing a slice again changes
 * nothing and overwrites no later write by others. Of two documents with one id, the later one in the files wins, and
 * the later one of two imports.
 */
export async function workOnImport(options: ImportOptions): Promise<ImportRecord> {
  const { calls, id, open, most = MOST_PARTS } = options;
  const held = await takeInPlace(
    calls,
    () => readImport(calls, id),
    async (record) => {
      record.max_rejected = options.maxRejected ?? record.max_rejected ?? MAX_REJECTED;
      // An earlier process may have stopped for this reason after writing all slices.
      requireFew(record);
      repeatInterrupted(record);
    },
  );
  const { record } = held;
  const files = await readFiles(calls, id);
  const fields = record.format === "csv" ? await fieldsOf(calls, record.name) : new Map();
  const write = writerOf(options, record);
  const done = new Map(record.ahead.map((ahead) => [ahead.slice, ahead]));
  const budget = rejectionBudget(record, most);

  const work = async (slice: Slice) => {
    // Slices below the checkpoint, and finished later ones, were written by an earlier process.
    if (slice.slice < record.next.slice || done.has(slice.slice)) return;
    const file = files[slice.file]?.name ?? "";
    const parsed = parsedSlice(slice, record, file, fields);
    const { counts, rejects } = await writeSlice(parsed, versionOf(record, slice), write, budget);
    await storeRejects(calls, id, slice.slice, file, rejects);
    // Counted immediately: a saved checkpoint must contain the counts of exactly its slices.
    addTo(record.tally, counts);
    if (counts.read < parsed.length) {
      record.interrupted ??= noCounts();
      addTo(record.interrupted, counts);
      return;
    }
    done.set(slice.slice, { slice: slice.slice, file: slice.file, end: slice.end });
    record.bytes = (record.bytes ?? 0) + slice.end - slice.from;
    advance(record, done);
  };
  async function* slices() {
    for await (const slice of readSlices(files, open, record)) {
      if (budget.isSpent()) return;
      yield slice;
    }
  }
  return workThrough(held, options, slices(), work, async () => {
    requireFew(record);
    await refresh(calls, record.name);
  });
}

/** Throws RunFailure if too many documents are rejected. */
function requireFew({ id, tally: { rejected }, max_rejected: most = MAX_REJECTED }: ImportRecord): void {
  if (rejected <= most) return;
  throw new RunFailure(
    `${rejected} documents were rejected, and --max-rejected is ${most}: ` +
      `\`relevance index status --run ${id}\` lists them. Resume with a larger --max-rejected to continue`,
  );
}

const noCounts = (): ImportTally => ({ read: 0, written: 0, unchanged: 0, rejected: 0 });

/** Removes the counts of slices that an earlier process left unfinished, because they are written again. */
function repeatInterrupted(record: ImportRecord): void {
  for (const key of TALLIED) record.tally[key] -= record.interrupted?.[key] ?? 0;
  delete record.interrupted;
}

/** Limits how many documents all slices in progress may still have rejected. */
interface RejectionBudget {
  /** Returns how many documents of a slice to write next. */
  batchSize(): number;
  spend(rejected: number): void;
  isSpent(): boolean;
}

/**
 * Returns the budget of rejections. The documents in progress are at most as many as may still be rejected, or one
 * smallest batch per slice. So an import stops close to its limit.
 */
function rejectionBudget(
  { tally, max_rejected: most = MAX_REJECTED }: ImportRecord,
  parallel: number,
): RejectionBudget {
  let left = most - tally.rejected;
  return {
    batchSize: () => Math.max(SMALLEST_BATCH, Math.ceil(left / parallel)),
    spend(rejected) {
      left -= rejected;
    },
    isSpent: () => left < 0,
  };
}

function writerOf({ calls, embeddingWriter }: ImportOptions, record: ImportRecord): WriteCopies {
  if (!record.embed) return importWriter(calls, record.name);
  if (!embeddingWriter) throw new RunFailure("This import embeds documents, for which it needs the gateway");
  return embeddingWriter(record.name, (reason) => {
    record.degraded ??= reason;
  });
}

function versionOf({ since }: ImportRecord, { slice }: Slice): bigint {
  if (slice >= 2 ** SLICE_BITS) throw new RunFailure("The files are too large for one import: divide them");
  return BigInt(since) * BigInt(2 ** SLICE_BITS) + BigInt(slice);
}

/** Returns the fields of an index, or of all that an alias stands for. */
async function fieldsOf(calls: RunCalls, name: string): Promise<Map<string, IndexField>> {
  const answer = (await calls.json(indices.get({ index: name, flat_settings: true }))) as Record<
    string,
    { mappings?: object }
  >;
  return new Map(Object.values(answer).flatMap(({ mappings = {} }) => [...fieldsOfMapping(mappings)]));
}

function parsedSlice(
  slice: Slice,
  { id, format, id_field: idField, embed }: ImportRecord,
  file: string,
  fields: ReadonlyMap<string, IndexField>,
): Parsed[] {
  try {
    return parseSlice(slice, { format, idField, prefix: id, check: embed, fields });
  } catch (error) {
    throw new RunFailure(`${file} cannot be read after byte ${slice.from}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Writes the documents of a slice in batches, in their order, until too many documents are rejected. */
async function writeSlice(parsed: readonly Parsed[], version: bigint, write: WriteCopies, budget: RejectionBudget) {
  const seen = new Set<string>();
  const counts = noCounts();
  const rejects: ImportReject[] = [];
  while (counts.read < parsed.length && !budget.isSpent()) {
    const batch = parsed.slice(counts.read, counts.read + budget.batchSize());
    const written = await writeBatch(batch, version, seen, write);
    budget.spend(written.counts.rejected);
    rejects.push(...written.rejects);
    addTo(counts, written.counts);
  }
  return { counts, rejects };
}

async function writeBatch(parsed: readonly Parsed[], version: bigint, seen: Set<string>, write: WriteCopies) {
  const documents = parsed.flatMap((one) => {
    if (!("document" in one)) return [];
    const { document } = one;
    const again = seen.has(document.id);
    seen.add(document.id);
    // The cluster takes no version with create, which never replaces a document anyway.
    if (document.op === "create" || document.version !== undefined) return [document];
    return [{ ...document, version, versionType: again ? ("external_gte" as const) : ("external" as const) }];
  });
  const outcomes = (await write(documents)).values();
  const counts = { read: parsed.length, written: 0, unchanged: 0, rejected: 0 };
  const rejects: ImportReject[] = [];
  for (const one of parsed) {
    if (!("document" in one)) {
      rejects.push(one);
      continue;
    }
    const outcome = outcomes.next().value ?? { kind: "rejected", reason: "the gateway gave no outcome" };
    if (outcome.kind === "rejected") {
      const { id, source: text } = one.document;
      rejects.push({ at: one.at, id, reason: outcome.reason, text });
    } else counts[outcome.kind] += 1;
  }
  counts.rejected = rejects.length;
  return { counts, rejects };
}

/** Moves the checkpoint past all consecutive finished slices. */
function advance(record: ImportRecord, done: Map<number, ImportRecord["ahead"][number]>): void {
  for (let one = done.get(record.next.slice); one; one = done.get(record.next.slice)) {
    done.delete(one.slice);
    record.next = { slice: one.slice + 1, file: one.file, offset: one.end };
  }
  record.ahead = [...done.values()];
}

/** A document of a file that was not written. */
interface ImportReject {
  /** Byte offset of its start in the uncompressed file. */
  at: number;
  id?: string;
  reason: string;
  text: string;
}

/** The most characters to store of a rejected document: a page of a thousand fits into one answer of the gateway. */
const KEPT = 1_500;

/** Stores the rejected documents of a slice in the run's index. Throws RunFailure if the index does not accept one. */
async function storeRejects(
  calls: RunCalls,
  run: string,
  slice: number,
  file: string,
  rejects: readonly ImportReject[],
): Promise<void> {
  const documents = rejects.map(({ at, id, reason, text }, place) => ({
    id: `reject-${slice}-${place}`,
    source: JSON.stringify({ reject: { id: id ?? "", reason, file, at, text: text.slice(0, KEPT) } }),
  }));
  for (const outcome of await importWriter(calls, runIndex(run))(documents)) {
    if (outcome.kind === "rejected") throw new RunFailure(`A rejected document could not be kept: ${outcome.reason}`);
  }
}
