import * as v from "valibot";
import type { OperationName } from "../../lib/platform/contract/search.ts";
import { Integer } from "../../lib/platform/http/documents.ts";

export const Shards = v.object({ total: Integer, successful: Integer, failed: Integer });

export const BulkItemError = v.looseObject({
  type: v.string(),
  reason: v.nullable(v.string()),
  retryable: v.optional(
    v.pipe(v.boolean(), v.description("On errors of the gateway: whether the same operation may succeed later.")),
  ),
  retry_after: v.optional(v.pipe(Integer, v.description("Seconds to wait before that, if known."))),
});

export const BulkItemResult = v.looseObject({
  _index: v.string(),
  _id: v.nullable(v.string()),
  status: Integer,
  _version: v.optional(Integer),
  result: v.optional(v.picklist(["created", "updated", "deleted", "noop", "not_found"])),
  forced_refresh: v.optional(v.boolean()),
  _shards: v.optional(Shards),
  _seq_no: v.optional(Integer),
  _primary_term: v.optional(Integer),
  error: v.optional(BulkItemError),
});

export const BulkItem = v.pipe(
  v.object({
    index: v.optional(BulkItemResult),
    create: v.optional(BulkItemResult),
    update: v.optional(BulkItemResult),
    delete: v.optional(BulkItemResult),
  } satisfies Record<OperationName, unknown>),
  v.description("The result of one operation, under the name of its `op`."),
);

export const BulkResult = v.object({
  took: v.pipe(Integer, v.description("Milliseconds.")),
  errors: v.pipe(v.boolean(), v.description("Whether any operation failed.")),
  items: v.pipe(v.array(BulkItem), v.description("One item for each operation, in the order of the request.")),
});
