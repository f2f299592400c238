import * as v from "valibot";
import { BULK_OPERATIONS, MAX_INDEX_BYTES, type OperationName, VERSION_TYPES } from "../../platform/contract/search.ts";
import { objectSchema } from "../../platform/http/validate.ts";

/** The most operations of one request. */
export const MAX_OPERATIONS = 5_000;

/** The cluster's own limit for a document id, in bytes of UTF-8. */
const MAX_ID_BYTES = 512;

/**
 * Excludes lists, wildcards, paths and system names: a bulk request writes to one index. Date math, in angle brackets,
 * stands for one too.
 */
const INDEX_NAME = /^(?:(?![-_+])(?!\.\.?$)[^\\/*?"<>|\s,#:\p{Cc}]+|<(?![-_+])[^\\*?"<>|\s,#\p{Cc}]+>)$/u;

const bytes = (text: string) => Buffer.byteLength(text);

/** The index of a bulk request. */
export const IndexName = v.pipe(
  v.string(),
  v.check(
    (name) => INDEX_NAME.test(name) && bytes(name) <= MAX_INDEX_BYTES,
    'must be the name of one index or alias: 1 to 255 bytes, no comma, wildcard, slash, space or any of \\ " < > | # :, ' +
      "not starting with _, - or +; or date math such as <logs-{now/d}>",
  ),
  // The same pattern as far as JSON Schema can express it.
  v.metadata({
    minLength: 1,
    maxLength: MAX_INDEX_BYTES,
    pattern:
      '^(?:(?![-_+])(?!\\.\\.?$)[^\\\\/*?"<>|\\s,#:\\u0000-\\u001f\\u007f-\\u009f]+|' +
      '<(?![-_+])[^\\\\*?"<>|\\s,#\\u0000-\\u001f\\u007f-\\u009f]+>)$',
  }),
  v.description("Name of one index, alias or data stream, or date math; 1 to 255 bytes in UTF-8."),
);

/** The id of a document. */
export const DocumentId = v.pipe(
  v.string(),
  v.check((id) => id !== "", "must not be empty"),
  v.check(
    (id) => bytes(id) <= MAX_ID_BYTES,
    (issue) => `must have at most ${MAX_ID_BYTES} bytes in UTF-8, got ${bytes(issue.input)}`,
  ),
  v.metadata({ minLength: 1, maxLength: MAX_ID_BYTES }),
  v.description("Document identifier, 1 to 512 bytes in UTF-8."),
);

/** The document to store or, for update, the fields to change. */
export const Document = v.looseObject({});

const number = (least: number, description: string) =>
  v.pipe(v.number(), v.safeInteger("must be a whole number below 2^53"), v.minValue(least), v.description(description));

/** Members of an operation besides its id. {@link CONDITIONS_OF} says which operations accept them. */
export const Conditions = v.object({
  routing: v.pipe(
    v.string(),
    v.check(
      (routing) => routing !== "" && bytes(routing) <= MAX_ID_BYTES,
      `must have 1 to ${MAX_ID_BYTES} bytes in UTF-8`,
    ),
    v.metadata({ minLength: 1, maxLength: MAX_ID_BYTES }),
    v.description("Routing value of the document, 1 to 512 bytes in UTF-8."),
  ),
  if_seq_no: number(0, "Write only if the document has this sequence number; needs `if_primary_term`."),
  if_primary_term: number(1, "Write only if the document has this primary term; needs `if_seq_no`."),
  version: number(0, "The document's version in your system; needs `version_type`."),
  version_type: v.pipe(
    v.picklist(VERSION_TYPES),
    v.description("`external`: `version` must be greater than the stored one. `external_gte`: or equal."),
  ),
  doc_as_upsert: v.pipe(v.boolean(), v.description("Store `doc` as a new document if there is none.")),
});
type Condition = keyof typeof Conditions.entries;
const CONDITION_NAMES = Object.keys(Conditions.entries) as Condition[];

const ANY_VERSION = ["routing", "if_seq_no", "if_primary_term", "version", "version_type"] as const;

/** The members that the cluster accepts with each operation. It rejects the whole call for any other. */
export const CONDITIONS_OF = {
  index: ANY_VERSION,
  create: ["routing"],
  update: ["routing", "if_seq_no", "if_primary_term", "doc_as_upsert"],
  delete: ANY_VERSION,
} as const satisfies Record<OperationName, readonly Condition[]>;

/** Members that require another one. */
export const NEEDS = {
  if_seq_no: ["if_primary_term"],
  if_primary_term: ["if_seq_no"],
  version: ["version_type"],
  version_type: ["version"],
} as const;

/** Members that exclude each other. */
export const RIVALS = [
  ["version", "if_seq_no"],
  ["doc_as_upsert", "if_seq_no"],
] as const;

const Operation = v.pipe(
  v.strictObject({
    id: DocumentId,
    op: v.picklist(BULK_OPERATIONS),
    doc: v.nullish(objectSchema(Document)),
    ...v.partial(Conditions).entries,
  }),
  // Not a check: valibot skips checks when a field has the wrong type, and this issue must be reported as well.
  v.rawCheck(({ dataset, addIssue }) => {
    const value = (dataset.value ?? {}) as Record<string, unknown>;
    const has = (key: string) => value[key] !== undefined;
    const report = (key: string, message: string) =>
      addIssue({ message, path: [{ type: "object", origin: "value", input: {}, key, value: value[key] }] });
    const op = BULK_OPERATIONS.find((name) => name === value.op);
    if (op === undefined) return;
    const given = has("doc") && value.doc !== null;
    if (op === "delete" && given) report("doc", "must be left out for delete");
    if (op !== "delete" && !given) report("doc", `is required for ${op}`);
    const taken: readonly string[] = CONDITIONS_OF[op];
    for (const key of CONDITION_NAMES) if (has(key) && !taken.includes(key)) report(key, `is not taken by ${op}`);
    for (const [key, [other]] of Object.entries(NEEDS)) {
      if (has(key) && !has(other)) report(other, `is required with ${key}`);
    }
    for (const [key, other] of RIVALS) {
      if (taken.includes(key) && has(key) && has(other)) report(key, `must not be given with ${other}`);
    }
  }),
);

const Operations = v.pipe(
  v.array(Operation),
  v.minLength(1, "must hold at least one operation"),
  v.maxLength(MAX_OPERATIONS),
  v.description("Operations; `index_response.items` is in their order."),
);

const TooMany = v.never(
  ({ input }) =>
    `must hold at most ${MAX_OPERATIONS} operations, got ${(input as unknown[]).length}; split it into several requests`,
);

/** The response is sent when searches see the written documents. */
export const RefreshWaitFor = v.picklist(["wait_for"]);

/** When written documents become visible to searches. */
export const Refresh = v.pipe(
  v.union([v.boolean(), RefreshWaitFor]),
  v.description("`true` makes the documents searchable at once, `wait_for` waits until they are. Default: `false`."),
);

/** Body of `POST /application/bulk`. */
export const BulkRequest = v.strictObject({
  index: IndexName,
  refresh: v.exactOptional(Refresh),
  // A list that is too long gives one issue, and none for its elements.
  bulk_request: v.lazy((input) => (isTooLong(input) ? TooMany : Operations) as typeof Operations),
});
export type BulkRequest = v.InferOutput<typeof BulkRequest>;

function isTooLong(input: unknown): boolean {
  return Array.isArray(input) && input.length > MAX_OPERATIONS;
}
