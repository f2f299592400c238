import * as v from "valibot";
import { BulkRequest } from "../../lib/search/api/bulk/request.ts";
import { HybridRequest } from "../../lib/search/api/hybrid/request.ts";
import { SearchRequest } from "../../lib/search/api/search/request.ts";

/** What an answer was made without; absent when nothing is degraded. */
const Degraded = v.optional(
  v.array(
    v.object({
      stage: v.picklist(["embedding", "personalization", "profile", "depth"]),
      target: v.string(),
      reason: v.string(),
      effect: v.string(),
    }),
  ),
);

const Shards = v.object({ total: v.number(), successful: v.number(), failed: v.number() });

const ItemResult = v.looseObject({
  _index: v.string(),
  _id: v.nullable(v.string()),
  status: v.number(),
  _version: v.optional(v.number()),
  result: v.optional(v.picklist(["created", "updated", "deleted", "noop", "not_found"])),
  _shards: v.optional(Shards),
  _seq_no: v.optional(v.number()),
  _primary_term: v.optional(v.number()),
  error: v.optional(v.looseObject({ type: v.string(), reason: v.string(), retryable: v.optional(v.boolean()) })),
});

const NativeAnswer = v.looseObject({
  took: v.number(),
  timed_out: v.boolean(),
  _shards: v.looseObject({ ...Shards.entries, skipped: v.number() }),
  hits: v.looseObject({
    total: v.optional(v.object({ value: v.number(), relation: v.picklist(["eq", "gte"]) })),
    max_score: v.nullable(v.number()),
    hits: v.array(
      v.looseObject({
        _index: v.string(),
        _id: v.string(),
        _score: v.nullable(v.number()),
        _source: v.optional(v.looseObject({})),
      }),
    ),
  }),
});

/** The request echoed, and the cluster's bulk answer. */
export const BulkResponse = v.object({
  ...BulkRequest.entries,
  index_response: v.object({
    took: v.number(),
    errors: v.boolean(),
    items: v.array(
      v.object({
        index: v.optional(ItemResult),
        create: v.optional(ItemResult),
        update: v.optional(ItemResult),
        delete: v.optional(ItemResult),
      }),
    ),
  }),
  degraded: Degraded,
});

/** The request echoed with its defaults, and the cluster's answer. */
export const SearchResponse = v.object({ ...SearchRequest.entries, search_response: NativeAnswer, degraded: Degraded });

/** As for search; the template also holds the search pipeline that was sent. */
export const HybridResponse = v.object({
  ...HybridRequest.entries,
  search_response: v.looseObject({ ...NativeAnswer.entries, profile: v.looseObject({ shards: v.array(v.unknown()) }) }),
  degraded: Degraded,
});
