import { withoutPaths } from "../../../platform/json/slices.ts";
import { parseExact, sameJson } from "../../../platform/json/values.ts";
import { type Range, readByIds, readIds, readSources, type SourceCopy, type StoredCopy } from "./documents.ts";
import { RunFailure } from "./failure.ts";
import type { Ledger } from "./ledger.ts";
import type { RunCalls } from "./run-calls.ts";
import type { Tally } from "./run-record.ts";
import { deleteCopies, type WriteCopies } from "./write.ts";

/** State and services of a run's copying steps. */
export interface CopyWork {
  calls: RunCalls;
  source: string;
  target: string;
  /** The alias that only this process writes to. */
  targetAlias: string;
  ledger: Ledger;
  write: WriteCopies;
  /** Sequence numbers per bucket. */
  width: number;
  /** Fields excluded from copies and comparisons, because they are computed again. */
  leftOut: readonly string[];
  /** Converts a copy's source: vectors that the new index stores as bytes. */
  converted: (source: string) => string;
  tally: Tally;
  /** Called for each document that the new index rejects. */
  onRejected: (copy: StoredCopy, reason: string) => Promise<void>;
}

const bucketOf = ({ width }: CopyWork, { from }: Range) => Math.floor(from / width);

/** Copies the documents of a range within one bucket. Records them in the ledger first. */
export async function copyRange(work: CopyWork, range: Range): Promise<void> {
  const { calls, source, ledger, tally } = work;
  const copies = await readIds(calls, source, range);
  if (copies.length === 0) return;
  await ledger.add(range.shard, bucketOf(work, range), copies);
  for await (const page of readSources(calls, source, range)) {
    const outcomes = await work.write(page.map((copy) => ({ ...copy, source: copiedSource(work, copy.source) })));
    for (const [index, copy] of page.entries()) {
      const outcome = outcomes[index];
      tally.read += 1;
      if (outcome?.kind === "rejected") {
        tally.rejected += 1;
        await work.onRejected(copy, outcome.reason);
      } else tally[outcome?.kind ?? "unchanged"] += 1;
    }
  }
}

/** Returns a document's source in the form in which it is copied. */
export const copiedSource = ({ leftOut, converted }: CopyWork, source: string): string =>
  converted(withoutPaths(source, leftOut));

/**
 * Compares the documents of a range with their copies, by version and content. A copy with a later version is accepted:
 * the document has been replaced in the old index meanwhile. Throws RunFailure at the first difference. Rejected
 * documents may lack a copy.
 */
export async function verifyRange(work: CopyWork, range: Range, rejected: ReadonlySet<string>): Promise<void> {
  const { calls, source, target } = work;
  for await (const page of readSources(calls, source, range)) {
    const copies = await readByIds(calls, target, page, { source: true, realtime: false });
    for (const [index, original] of page.entries()) {
      const copy = copies[index];
      if (copy && copy.version > original.version) continue;
      if (copy?.version === original.version && sameSource(work, original, copy.source ?? "")) continue;
      if (rejected.has(original.id)) continue;
      throw new RunFailure(
        copy?.version === original.version
          ? `The copy of document ${original.id} in ${target} differs from the one in ${source}`
          : `The document ${original.id} of ${source} is missing in ${target}, or is there in an earlier version`,
      );
    }
  }
}

function sameSource(work: CopyWork, { source }: SourceCopy, copy: string): boolean {
  if (source === copy) return true;
  // Converting an already converted copy does not change it, so both can be converted.
  const [a, b] = [source, copy].map((text) => parseExact(copiedSource(work, text)));
  return a !== undefined && b !== undefined && sameJson(a, b);
}

/**
 * Deletes the copies of documents that were deleted in the old index. `copied` is the sequence number up to which the
 * shard has been copied. An updated document stays in its old bucket's record until its later version is copied and
 * recorded; otherwise a delete after the update would find no record of the copy.
 */
export async function removeDeleted(
  work: CopyWork,
  { shard, bucket, copied }: { shard: number; bucket: number; copied: number },
): Promise<void> {
  const { calls, source, ledger, width, targetAlias, tally } = work;
  const from = bucket * width;
  const recorded = await ledger.read(shard, bucket);
  const live = new Set(
    (await readIds(calls, source, { shard, from, to: Math.min(copied, from + width - 1) })).map(({ seqNo }) => seqNo),
  );
  const gone = recorded.filter(({ seqNo }) => !live.has(seqNo));
  if (gone.length === 0) return;
  const present = await readByIds(calls, source, gone, { source: false, realtime: true });
  const deleted = gone.filter((_, index) => present[index] === undefined);
  if (deleted.length > 0) {
    await deleteCopies(calls, targetAlias, deleted);
    tally.deleted += deleted.length;
  }
  const pending = new Set(gone.filter((_, index) => (present[index]?.seqNo ?? -1) > copied));
  await ledger.replace(
    shard,
    bucket,
    recorded.filter((copy) => live.has(copy.seqNo) || pending.has(copy)),
  );
}
