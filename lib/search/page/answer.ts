import * as v from "valibot";
import { MAX_ID } from "../../personalize/limits.ts";
import { TOTAL_RELATIONS, type TotalRelation } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import { elementSlices, memberSlices, withMembers } from "../../platform/json/slices.ts";
import { isObject, parseJson, valueAt } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { readCall, refusalOf } from "../opensearch/calls.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { timeLimited } from "../opensearch/time-limits.ts";

export interface Hit {
  _index?: string;
  _id: string;
  _score: number | null;
  _source?: Record<string, unknown>;
}

type Total = { value: number; relation: TotalRelation };

/** The parts of a native answer that are read. `rest_total_hits_as_int` makes the total a number. */
const NativeAnswer = v.object({
  timed_out: v.boolean(),
  _shards: v.object({ total: v.number(), failed: v.number(), failures: v.optional(v.array(v.looseObject({}))) }),
  hits: v.object({
    total: v.nullish(v.union([v.number(), v.object({ value: v.number(), relation: v.picklist(TOTAL_RELATIONS) })])),
    hits: v.array(v.custom<Hit>(isHit)),
  }),
});
type NativeAnswer = v.InferOutput<typeof NativeAnswer>;

/**
 * The cluster's search answer: its text, which is returned unchanged so that no number changes, and the values read
 * from it.
 */
export interface SearchAnswer {
  text: string;
  hits: readonly Hit[];
  /** Null when totals are not tracked. */
  total: Total | null;
  /** Incomplete parts of the answer: failed shards, a search that timed out. */
  partial: readonly Degradation[];
}

/** Returns an answer read from its text. Throws `upstream_failed` when the text is not the JSON of a search answer. */
export function readAnswer(text: string): SearchAnswer {
  const answer = parse(text);
  const { total, hits } = answer.hits;
  return {
    text,
    hits,
    total: typeof total === "number" ? { value: total, relation: "eq" } : (total ?? null),
    partial: partialResults(answer),
  };
}

function parse(text: string): NativeAnswer {
  const answer = v.safeParse(NativeAnswer, parseJson(text));
  if (answer.success) return answer.output;
  throw new ApiError("upstream_failed", "The search cluster answered with something that is not a search answer.", {
    cause: text.slice(0, 200),
  });
}

/** Returns whether a value is a hit. `stored_fields: "_none_"` leaves out the id and the source. */
function isHit(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { _id, _source } = value;
  return (_id === undefined || typeof _id === "string") && (_source === undefined || isObject(_source));
}

function partialResults({ timed_out, _shards }: NativeAnswer): Degradation[] {
  const target = "search_response";
  const partial: Degradation[] = [];
  const { total, failed, failures } = _shards;
  if (failed > 0) {
    const cause = failures?.[0]?.reason;
    const { type, reason } = isObject(cause) ? cause : {};
    const why = [type, reason].filter((part) => typeof part === "string").join(": ") || "no reason given";
    const effect = "hits, totals and aggregations are those of the other shards";
    partial.push({ stage: "shards", target, reason: `${failed} of ${total} shards failed: ${why}`, effect });
  }
  if (timed_out) {
    const effect = "hits, totals and aggregations are those found until then";
    partial.push({
      stage: "timed_out",
      target,
      reason: "the time that the search may take in the cluster ended",
      effect,
    });
  }
  return partial;
}

/** Returns the JSON texts of the hits, byte for byte. */
export function hitTexts({ text }: SearchAnswer): string[] {
  const inner = memberSlices(text).get("hits");
  const list = inner && memberSlices(text, inner.start).get("hits");
  return list ? elementSlices(text, list.start).map(({ start, end }) => text.slice(start, end)) : [];
}

/** Returns a hit with another score. */
export const withScore = (hit: string, score: number): string => withMembers(hit, { _score: JSON.stringify(score) });

/** Returns an answer with other hits and everything else unchanged. `max_score` changes only if `maxScore` is given. */
export function withHits(answer: SearchAnswer, hits: readonly string[], maxScore?: number | null): string {
  const inner = memberSlices(answer.text).get("hits");
  if (!inner) return answer.text;
  const changed = withMembers(answer.text.slice(inner.start, inner.end), {
    hits: `[${hits.join(",")}]`,
    ...(maxScore !== undefined && { max_score: JSON.stringify(maxScore) }),
  });
  return withMembers(answer.text, { hits: changed });
}

/** Returns a hit's item id, from `_id` or a path in `_source`; undefined if Personalize would not accept it. */
export function itemIdOf(hit: Hit, field: string): string | undefined {
  const value = field === "_id" ? hit._id : valueAt(hit._source, field);
  // A number beyond 2^53 was rounded when the hit was parsed and would be the id of another item.
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === "string" && id !== "" && id.length <= MAX_ID ? id : undefined;
}

/** Ids of hits, all from one field so that they can be joined with it. */
export interface ObjectIds {
  field: string;
  ids: string[];
}

/**
 * Returns the ids of hits from the item id field. If one hit lacks the field (in the item, or because `_source`
 * excludes it), returns all from `_id`: ids of both kinds under one name could not be distinguished.
 */
export function objectIdsOf(hits: readonly Hit[], itemIdField: string): ObjectIds {
  const ids = itemIdField === "_id" ? [] : hits.flatMap((hit) => itemIdOf(hit, itemIdField) ?? []);
  return ids.length === hits.length ? { field: itemIdField, ids } : { field: "_id", ids: hits.map(({ _id }) => _id) };
}

/** Returns why a native search failed, for callers. */
export const searchFailure = (error: unknown): string => (error instanceof Error ? error.message : "the search failed");

/** Sends one native search. `query` is the query string, and `timeout` that of the body. Throws the caller's error when the cluster refuses or fails. */
export async function nativeSearch(
  cluster: Cluster,
  deadline: Deadline,
  index: string,
  body: string,
  { query, timeout }: { query?: string; timeout: unknown },
): Promise<SearchAnswer> {
  const answer = await readCall(
    timeLimited(cluster, { timeout }),
    {
      method: "POST",
      path: `/${encodeURIComponent(index)}/_search`,
      ...(query !== undefined && { query }),
      headers: { "content-type": "application/json" },
      body,
    },
    deadline,
  );
  if (answer.status >= 300) throw refusalOf(answer);
  return readAnswer(answer.body.toString("utf8"));
}
