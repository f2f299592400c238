import { containsJson, type ExactJson, parseExact, sameJson } from "../../../core/json/same.ts";
import type { Deadline } from "../../../core/resilience/deadline.ts";
import type { Cluster } from "../../opensearch/cluster.ts";
import { NO_DOCUMENT, type Sending } from "./draft.ts";
import type { ItemResult } from "./item.ts";
import { readStored, type StoredDocument } from "./stored.ts";
import type { Target } from "./target.ts";

/**
 * What a write without an answer has come to.
 * - `done`: the stored document is what it was to become;
 * - `again`: it is not; how to send it so that a late arrival of the first attempt shows as a conflict;
 * - `changed`: its embeddings rest on a version that is gone.
 */
export type Compared = { kind: "done"; item: ItemResult } | { kind: "again"; sending: Sending } | { kind: "changed" };

/** Reads the documents of writes whose answer was lost. Throws ApiError when the cluster cannot say. */
export async function compareWithStored(
  { cluster, target, deadline }: { cluster: Cluster; target: Target; deadline: Deadline },
  sendings: readonly Sending[],
): Promise<Compared[]> {
  const ids = sendings.map(({ draft }) => draft.operation.id);
  const stored = await readStored(cluster, target.readName, ids, deadline);
  return sendings.map((sending) => compare(sending, stored.get(sending.draft.operation.id), target.itemIndex));
}

function compare(sending: Sending, stored: StoredDocument | undefined, index: string): Compared {
  const { draft } = sending;
  const { op, id } = draft.operation;
  if (op === "delete") {
    if (!stored) return { kind: "done", item: deletedItem(index, id) };
    return { kind: "again", sending: { ...sending, guard: stored.guard } };
  }
  if (stored && isDone(op, stored.source, sending.source ?? "")) {
    return { kind: "done", item: writtenItem(op, id, stored) };
  }
  switch (op) {
    case "create":
      return { kind: "again", sending };
    case "index":
      return stored
        ? { kind: "again", sending: { ...sending, asCreate: false, guard: stored.guard } }
        : { kind: "again", sending: { ...sending, asCreate: true, guard: undefined } };
    case "update":
      if (draft.guard && draft.guard.seqNo !== (stored?.guard ?? NO_DOCUMENT).seqNo) return { kind: "changed" };
      return { kind: "again", sending: { ...sending, guard: stored?.guard ?? NO_DOCUMENT } };
  }
}

function isDone(op: "index" | "create" | "update", stored: string, sent: string): boolean {
  try {
    const now = parseExact(stored);
    const wanted = parseExact(sent);
    return op === "update" ? containsJson(now, (wanted as { doc: ExactJson }).doc) : sameJson(now, wanted);
  } catch (error) {
    // Nested so deeply that it cannot be compared; the cluster takes no such document either.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The item that the lost answer held, as far as it can be known: of the copies only the one that was read. */
function writtenItem(op: "index" | "create" | "update", id: string, stored: StoredDocument): ItemResult {
  const created = op === "create" || (op === "index" && stored.version === 1);
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

/** A deleted document tells neither version nor sequence number: these are the cluster's own marks for "none". */
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
