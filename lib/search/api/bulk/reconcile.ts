import { containsJson, type ExactJson, parseExact, sameJson } from "../../../core/json/values.ts";
import type { Deadline } from "../../../core/resilience/deadline.ts";
import type { Cluster } from "../../opensearch/cluster.ts";
import { join, NO_DOCUMENT, type Sending } from "./draft.ts";
import type { ItemResult } from "./item.ts";
import { readStored, type StoredDocument } from "./stored.ts";
import type { Target } from "./target.ts";

/**
 * The state of a write whose answer was lost.
 * - `done`: the stored document is what the write was to make of it;
 * - `again`: it is not, and the write is guarded by the stored version. It may be resent: if both attempts arrive, only
 *   one takes effect;
 * - `changed`: the version that its embeddings were computed from has been replaced;
 * - `unknown`: the write has not been executed, or not yet, or the document was changed since.
 */
export type Compared = { kind: "done"; item: ItemResult } | { kind: "again" | "changed" | "unknown" };

/** Compares writes whose answer was lost with the stored documents. Throws ApiError if these cannot be read. */
export async function compareWithStored(
  { cluster, target, deadline }: { cluster: Cluster; target: Target; deadline: Deadline },
  sendings: readonly Sending[],
): Promise<Compared[]> {
  const operations = sendings.map(({ draft }) => draft.operation);
  const stored = await readStored(cluster, target.readName, operations, deadline);
  return sendings.map((sending) => compare(sending, stored.get(sending.draft.operation.id), target.itemIndex));
}

function compare({ draft, op, source }: Sending, stored: StoredDocument | undefined, index: string): Compared {
  const { id, guard: allowed, external } = draft.operation;
  const unchanged = draft.guard?.seqNo === (stored?.guard ?? NO_DOCUMENT).seqNo;
  if (op === "delete" && !stored) return { kind: "done", item: deletedItem(index, id) };
  // The caller wants a new version even of an equal document.
  if (allowed && unchanged) return { kind: "again" };
  const isVersion = external === undefined || stored?.version === external.version;
  if (op !== "delete" && stored && isVersion && isDone(op, stored.source, join(source ?? []).toString("utf8"))) {
    return { kind: "done", item: writtenItem(op, id, stored) };
  }
  // After a change nobody can tell whether the write came before it, so the caller must not hear of a conflict.
  if (!draft.guard || allowed) return { kind: "unknown" };
  return { kind: unchanged ? "again" : "changed" };
}

function isDone(op: "index" | "create" | "update", stored: string, sent: string): boolean {
  try {
    const now = parseExact(stored);
    const wanted = parseExact(sent);
    return op === "update" ? containsJson(now, (wanted as { doc: ExactJson }).doc) : sameJson(now, wanted);
  } catch (error) {
    // The document is too deeply nested to be compared. The cluster does not accept such a document either.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the item of the lost answer, as far as it can be known. `_shards` counts only the copy that was read. */
function writtenItem(op: "index" | "create" | "update", id: string, stored: StoredDocument): ItemResult {
  const created = op === "create" || stored.version === 1;
  const status = created ? 201 : 200;
  const { seqNo, primaryTerm } = stored.guard;
  const item = {
    _index: stored.index,
    _id: id,
    _version: stored.version,
    result: created ? "created" : "updated",
    _shards: { total: 1, successful: 1, failed: 0 },
    _seq_no: seqNo,
    _primary_term: primaryTerm,
    status,
  };
  return { text: JSON.stringify(item), status, failed: false, guard: stored.guard };
}

/** Returns the item of a delete, whose version is unknown. The numbers are the cluster's own marks for "none". */
function deletedItem(index: string, id: string): ItemResult {
  const item = {
    _index: index,
    _id: id,
    _version: -1,
    result: "deleted",
    _shards: { total: 1, successful: 1, failed: 0 },
    _seq_no: -2,
    _primary_term: 0,
    status: 200,
  };
  return { text: JSON.stringify(item), status: 200, failed: false };
}
