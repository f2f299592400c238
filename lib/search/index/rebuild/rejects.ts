import { createHash } from "node:crypto";
import { type CopyWork, copiedSource } from "./copy.ts";
import { copyVersion, readByIds, type StoredCopy } from "./documents.ts";
import { documents } from "./requests.ts";
import { type RunCalls, scanRun } from "./run-calls.ts";

/** A document that the new index rejected, and why. */
interface Reject extends Rejected {
  routing?: string;
  seq_no: number;
}

/** A rejected document of any run. */
export interface Rejected {
  id: string;
  reason: string;
  /** For imports: the file, the document's offset in it, and its text. */
  file?: string;
  at?: number;
  text?: string;
}

/** Documents that the new index rejected, stored in the run's index. */
export interface Rejects {
  add(copy: StoredCopy, reason: string): Promise<void>;
  ids(): ReadonlySet<string>;
  /** Retries them. Removes those that are now accepted, and those that were deleted or changed. */
  retry(work: CopyWork): Promise<void>;
}

export async function openRejects(calls: RunCalls, index: string): Promise<Rejects> {
  const known = new Map((await readRejects<Reject>(calls, index)).map((reject) => [reject.id, reject]));
  const at = (id: string) => ({ index, id: `reject-${createHash("sha256").update(id).digest("hex").slice(0, 32)}` });

  return {
    async add({ id, routing, seqNo: seq_no }, reason) {
      const reject: Reject = { id, seq_no, reason, ...(routing !== undefined && { routing }) };
      known.set(id, reject);
      await calls.json(documents.index({ ...at(id), body: { reject } }));
    },
    ids: () => new Set(known.keys()),
    async retry(work) {
      for (const reject of [...known.values()]) {
        if (await isStillRejected(work, reject)) continue;
        known.delete(reject.id);
        await calls.json(documents.delete(at(reject.id)), [404]);
      }
    },
  };
}

/** Returns the documents that a run has rejected. */
export async function readRejects<Kind extends Rejected>(calls: RunCalls, index: string): Promise<Kind[]> {
  const rejects: Kind[] = [];
  for await (const { _source } of scanRun(calls, index, ["reject"])) {
    if (_source?.reject) rejects.push(_source.reject as Kind);
  }
  return rejects;
}

/** Retries one document. A later version of it is copied or rejected separately. */
async function isStillRejected(work: CopyWork, { id, routing, seq_no }: Reject): Promise<boolean> {
  const identity = { id, seqNo: seq_no, version: 0n, ...(routing !== undefined && { routing }) };
  const [original] = await readByIds(work.calls, work.source, [identity], { source: true, realtime: true });
  if (original?.source === undefined || original.seqNo !== seq_no) return false;
  const version = copyVersion(seq_no, original.primaryTerm);
  const [outcome] = await work.write([{ ...identity, version, source: copiedSource(work, original.source) }]);
  return outcome?.kind === "rejected";
}
