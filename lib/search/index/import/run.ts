import { runIndex } from "../../index-meta/run-names.ts";
import { RunFailure } from "../rebuild/failure.ts";
import { addTo, MOST_PARTS, takeInPlace, type WorkOptions, workThrough } from "../rebuild/in-place.ts";
import { type ImportRecord, type ImportTally, TALLIED } from "../rebuild/in-place-records.ts";
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
  /** Rejected documents of the whole run above which it stops; by default as many as before, or {@link MAX_REJECTED}. */
  maxRejected?: number | undefined;
  /** Writes documents so that they are embedded, and reports why one was stored without. Needed for imports that embed. */
  embeddingWriter?: (name: string, onDegraded: (reason: string) => void) => WriteCopies;
}

/** Bits of a version that count slices. */
const SLICE_BITS = 22;

/** Rejected documents above which an import stops by default. */
const MAX_REJECTED = 1_000;

/** Documents that are written together although fewer may still be rejected: one request of an import that embeds. */
const SMALLEST_BATCH = 64;

/**
 * Works on an import until all files are written. Goes on where an earlier process stopped. Throws RunFailure, after which
 * the run can be resumed.
 *
 * Each document has the external version `seconds since 2020 × 2^22 + number of its slice`. So a slice that is written
 * again changes nothing, and undoes no write that others have made since; of two documents with one id the later one in
 * the files wins; and so does the later one of two imports.
 */
export async function workOnImport(options: ImportOptions): Promise<ImportRecord> {
  const { calls, id, open, most = MOST_PARTS } = options;
  const held = await takeInPlace(
    calls,
    () => readImport(calls, id),
    async (record) => {
      record.max_rejected = options.maxRejected ?? record.max_rejected ?? MAX_REJECTED;
      // All slices may be done when an earlier process stopped for this.
      requireFew(record);
      repeatInterrupted(record);
    },
  );
  const { record } = held;
  const files = await readFiles(calls, id);
  const write = writerOf(options, record);
  const done = new Map(record.ahead.map((ahead) => [ahead.slice, ahead]));
  const budget = rejectionBudget(record, most);

  const work = async (slice: Slice) => {
    // Those below the checkpoint were written before an earlier one, by a process that was killed.
    if (slice.slice < record.next.slice || done.has(slice.slice)) return;
    const file = files[slice.file]?.name ?? "";
    const parsed = parsedSlice(slice, record, file);
    const { counts, rejects } = await writeSlice(parsed, versionOf(record, slice), write, budget);
    await storeRejects(calls, id, slice.slice, file, rejects);
    // At once: a checkpoint that is saved counts its slices, and no others.
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

/** Takes back the counts of slices that an earlier process left in the middle: they are written again. */
function repeatInterrupted(record: ImportRecord): void {
  for (const key of TALLIED) record.tally[key] -= record.interrupted?.[key] ?? 0;
  delete record.interrupted;
}

/** How many documents may still be rejected, by all slices in progress together. */
interface RejectionBudget {
  /** Returns how many documents of a slice to write next. */
  batchSize(): number;
  spend(rejected: number): void;
  isSpent(): boolean;
}

/**
 * The documents that are under way together are no more than may still be rejected, or a smallest batch of each slice. So
 * an import stops near its number.
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

function parsedSlice(slice: Slice, { id, format, id_field: idField, embed }: ImportRecord, file: string): Parsed[] {
  try {
    return parseSlice(slice, { format, idField, prefix: id, check: embed });
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
    // The cluster takes no versions with create, which replaces nothing anyway.
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

/** Moves the checkpoint over the slices that are done without a gap. */
function advance(record: ImportRecord, done: Map<number, ImportRecord["ahead"][number]>): void {
  for (let one = done.get(record.next.slice); one; one = done.get(record.next.slice)) {
    done.delete(one.slice);
    record.next = { slice: one.slice + 1, file: one.file, offset: one.end };
  }
  record.ahead = [...done.values()];
}

/** A document of a file that was not written. */
interface ImportReject {
  /** Where it begins in the uncompressed file, in bytes. */
  at: number;
  id?: string;
  reason: string;
  text: string;
}

/** Characters of a rejected document that are kept: a page of a thousand fits into one answer of the gateway. */
const KEPT = 1_500;

/** Keeps the rejected documents of a slice in the index of the run. Throws RunFailure if that does not take one. */
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
