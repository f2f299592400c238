import * as v from "valibot";
import type { OperationName } from "../../platform/contract/search.ts";
import { ApiError } from "../../platform/http/error.ts";
import { elementSlices, memberSlices, withoutPaths } from "../../platform/json/slices.ts";
import { containsJson, type ExactJson, parseExact, sameJson } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { clusterError, jsonOf, readCall } from "../opensearch/calls.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { mget } from "../opensearch/requests.ts";
import { sourcePatterns } from "../opensearch/source-fields.ts";
import { join, NO_DOCUMENT, type Sending } from "./draft.ts";
import type { Guard } from "./operations.ts";
import type { ItemResult } from "./send.ts";
import type { BulkTarget } from "./target.ts";

/** The current version of a document, even if it is not searchable yet. */
export interface StoredDocument {
  index: string;
  version: number;
  guard: Guard;
  /** The `_source` as text. */
  source: string;
}

const Identity = { _id: v.string() };
const FoundDocument = v.object({
  ...Identity,
  found: v.literal(true),
  _index: v.string(),
  _version: v.number(),
  _seq_no: v.number(),
  _primary_term: v.number(),
  /** Absent if the index does not store `_source`. */
  _source: v.exactOptional(v.looseObject({})),
});
const Doc = v.union([
  FoundDocument,
  v.object({ ...Identity, found: v.literal(false) }),
  v.object({ ...Identity, error: v.looseObject({}) }),
]);
const Answer = v.object({ docs: v.array(Doc) });

/**
 * Reads documents by id in one call, with all fields or only `fields`. The map lacks the ids that do not exist. Throws
 * ApiError if the cluster cannot read a document, or does not answer with exactly these ids in their order.
 */
export async function readStored(
  cluster: Cluster,
  index: string,
  wanted: ReadonlyArray<{ id: string; routing?: string }>,
  deadline: Deadline,
  fields?: readonly string[],
): Promise<Map<string, StoredDocument>> {
  const answer = await readCall(
    cluster,
    mget({
      index,
      ...(fields && { _source_includes: sourcePatterns(fields) }),
      body: { docs: wanted.map(({ id, routing }) => ({ _id: id, routing })) },
    }),
    deadline,
  );
  const parsed = v.safeParse(Answer, jsonOf(answer));
  if (!parsed.success || !sameIds(parsed.output.docs, wanted)) {
    throw new ApiError("upstream_failed", "The search cluster did not answer with the documents that were asked for.", {
      cause: answer.body.toString("utf8", 0, 200),
    });
  }
  const { docs } = parsed.output;
  const text = answer.body.toString("utf8");
  const list = memberSlices(text).get("docs");
  const stored = new Map<string, StoredDocument>();
  for (const [position, element] of elementSlices(text, list?.start, list?.end).entries()) {
    const doc = docs[position];
    if (doc && "error" in doc) {
      const { type, reason } = clusterError(doc);
      // The cluster creates an index that does not exist, or answers the write itself with these errors.
      if (type === "index_not_found_exception" || type === "routing_missing_exception") continue;
      throw new ApiError("upstream_failed", `The search cluster could not read a document: ${reason}.`, {
        cause: doc.error,
      });
    }
    const source = memberSlices(text, element.start, element.end).get("_source");
    if (!doc?.found) continue;
    stored.set(doc._id, {
      index: doc._index,
      version: doc._version,
      guard: { seqNo: doc._seq_no, primaryTerm: doc._primary_term },
      source: source ? text.slice(source.start, source.end) : "{}",
    });
  }
  return stored;
}

const sameIds = (docs: ReadonlyArray<{ _id: string }>, wanted: ReadonlyArray<{ id: string }>) =>
  docs.length === wanted.length && docs.every(({ _id }, position) => _id === wanted[position]?.id);

/**
 * State of a write whose answer was lost.
 * - `done`: the stored document is the result of the write;
 * - `again`: it is not, and the write is guarded by the stored version. It may be resent: if both attempts arrive, only
 *   one takes effect;
 * - `changed`: the version that its embeddings were computed from has been replaced;
 * - `unknown`: the write has not been executed, not yet been executed, or the document was changed afterwards.
 */
type Compared = { kind: "done"; item: ItemResult } | { kind: "again" | "changed" | "unknown" };

/** Compares writes whose answer was lost with the stored documents. Throws ApiError if these cannot be read. */
export async function compareWithStored(
  { cluster, target, deadline }: { cluster: Cluster; target: BulkTarget; deadline: Deadline },
  sendings: readonly Sending[],
): Promise<Compared[]> {
  const operations = sendings.map(({ draft }) => draft.operation);
  const stored = await readStored(cluster, target.readName, operations, deadline);
  return sendings.map((sending) => compare(sending, stored.get(sending.draft.operation.id), target));
}

function compare(
  { draft, op, source }: Sending,
  stored: StoredDocument | undefined,
  { itemIndex: index, mappings }: BulkTarget,
): Compared {
  const { id, guard: allowed, external } = draft.operation;
  const unchanged = draft.guard?.seqNo === (stored?.guard ?? NO_DOCUMENT).seqNo;
  if (op === "delete" && !stored) return { kind: "done", item: deletedItem(index, id) };
  // A guarded write of an equal document still creates a new version, which the caller expects.
  if (allowed && unchanged) return { kind: "again" };
  const isVersion = external === undefined || stored?.version === external.version;
  // Equal texts have equal embeddings, so excluded embedding fields need not be compared.
  const unseen = mappings.flatMap(({ embedding_field: field, hidden }) =>
    hidden?.isEmbedding && field in draft.changes ? [field] : [],
  );
  if (
    op !== "delete" &&
    stored &&
    isVersion &&
    isDone(op, stored.source, join(source ?? []).toString("utf8"), unseen)
  ) {
    return { kind: "done", item: writtenItem(op, id, stored) };
  }
  // The write may have been executed before the change, so the caller must not get a conflict.
  if (!draft.guard || allowed) return { kind: "unknown" };
  return { kind: unchanged ? "again" : "changed" };
}

function isDone(
  op: Exclude<OperationName, "delete">,
  stored: string,
  sent: string,
  unseen: readonly string[],
): boolean {
  try {
    const paths = op === "update" ? unseen.map((field) => `doc.${field}`) : unseen;
    const now = parseExact(withoutPaths(stored, unseen));
    const wanted = parseExact(withoutPaths(sent, paths));
    return op === "update" ? containsJson(now, (wanted as { doc: ExactJson }).doc) : sameJson(now, wanted);
  } catch (error) {
    // RangeError: the document is too deeply nested to be compared. The cluster rejects such documents as well.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns a reconstruction of the lost item. `_shards` counts only the copy that was read. */
function writtenItem(op: Exclude<OperationName, "delete">, id: string, stored: StoredDocument): ItemResult {
  const { index, version, guard } = stored;
  const created = op === "create" || version === 1;
  const told = { _index: index, _id: id, _version: version, result: created ? "created" : "updated" };
  return { ...itemOf(told, guard, created ? 201 : 200), index, guard };
}

/** Returns the item of a delete, whose version is unknown. Its numbers are the cluster's marks for "none". */
const deletedItem = (index: string, id: string): ItemResult =>
  itemOf({ _index: index, _id: id, _version: -1, result: "deleted" }, { seqNo: -2, primaryTerm: 0 }, 200);

function itemOf(told: object, { seqNo, primaryTerm }: Guard, status: number): ItemResult {
  const shards = { total: 1, successful: 1, failed: 0 };
  const item = { ...told, _shards: shards, _seq_no: seqNo, _primary_term: primaryTerm, status };
  return { text: JSON.stringify(item), status, failed: false };
}
