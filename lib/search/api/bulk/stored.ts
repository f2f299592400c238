import * as v from "valibot";
import { ApiError } from "../../../core/http/error.ts";
import { elementSlices, memberSlices } from "../../../core/json/slices.ts";
import type { Deadline } from "../../../core/resilience/deadline.ts";
import { jsonOf, readCall } from "../../opensearch/calls.ts";
import type { Cluster } from "../../opensearch/cluster.ts";
import { clusterError } from "../../opensearch/cluster-error.ts";
import type { Guard } from "./operations.ts";

/** The current version of a document, even if it is not searchable yet. */
export interface StoredDocument {
  index: string;
  version: number;
  guard: Guard;
  /** The `_source` as text. */
  source: string;
}

const Identity = { _id: v.string() };
const Found = v.object({
  ...Identity,
  found: v.literal(true),
  _index: v.string(),
  _version: v.number(),
  _seq_no: v.number(),
  _primary_term: v.number(),
  _source: v.looseObject({}),
});
const Doc = v.union([
  Found,
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
    {
      method: "POST",
      path: `/${encodeURIComponent(index)}/_mget`,
      ...(fields && { query: `_source_includes=${encodeURIComponent(fields.join(","))}` }),
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ docs: wanted.map(({ id, routing }) => ({ _id: id, routing })) }),
    },
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
    if (!doc?.found || source === undefined) continue;
    stored.set(doc._id, {
      index: doc._index,
      version: doc._version,
      guard: { seqNo: doc._seq_no, primaryTerm: doc._primary_term },
      source: text.slice(source.start, source.end),
    });
  }
  return stored;
}

const sameIds = (docs: ReadonlyArray<{ _id: string }>, wanted: ReadonlyArray<{ id: string }>) =>
  docs.length === wanted.length && docs.every(({ _id }, position) => _id === wanted[position]?.id);
