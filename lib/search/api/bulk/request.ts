import * as v from "valibot";
import { objectSchema } from "../../../core/http/object-schema.ts";

/** The most operations of one request. */
export const MAX_OPERATIONS = 5_000;

/** The cluster's own limit for a document id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 512;

/** The cluster's own limit for an index name, in bytes of UTF-8. */
const MAX_INDEX_BYTES = 255;

/** Excludes lists, wildcards, paths, date math and system names: a bulk request writes to one index. */
const INDEX_NAME = /^(?![-_+])(?!\.\.?$)[^\\/*?"<>|\s,#:\p{Cc}]+$/u;

const bytes = (text: string) => Buffer.byteLength(text);

/** The index of a bulk request. */
export const IndexName = v.pipe(
  v.string(),
  v.check(
    (name) => INDEX_NAME.test(name) && bytes(name) <= MAX_INDEX_BYTES,
    'must be the name of one index or alias: 1 to 255 bytes, no comma, wildcard, slash, space or any of \\ " < > | # :, ' +
      "not starting with _, - or +",
  ),
  // The check above, as far as JSON Schema can express it.
  v.metadata({
    minLength: 1,
    maxLength: MAX_INDEX_BYTES,
    pattern: '^(?![-_+])(?!\\.\\.?$)[^\\\\/*?"<>|\\s,#:\\u0000-\\u001f\\u007f-\\u009f]+$',
  }),
  v.description("Name of one index or alias, 1 to 255 bytes in UTF-8."),
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

const OPERATION_NAMES = ["index", "create", "update", "delete"] as const;

/** What an operation does to its document. */
export type OperationName = (typeof OPERATION_NAMES)[number];

/** The document to store or, for update, the fields to change. */
export const Document = v.looseObject({});

const Operation = v.pipe(
  v.strictObject({
    id: DocumentId,
    op: v.picklist(OPERATION_NAMES),
    doc: v.nullish(objectSchema(Document)),
  }),
  // Not a check: valibot skips checks when a field has the wrong type, and this issue must be reported beside that.
  v.rawCheck(({ dataset, addIssue }) => {
    const { op, doc } = (dataset.value ?? {}) as { op?: unknown; doc?: unknown };
    const given = doc !== undefined && doc !== null;
    const path: [v.ObjectPathItem] = [{ type: "object", origin: "value", input: {}, key: "doc", value: doc }];
    if (op === "delete" && given) addIssue({ message: "must be left out for delete", path });
    if (op !== "delete" && OPERATION_NAMES.includes(op as OperationName) && !given) {
      addIssue({ message: `is required for ${op}`, path });
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

/** Body of `POST /application/bulk`. */
export const BulkRequest = v.strictObject({
  index: IndexName,
  // A list that is too long gives one issue, without any for its elements.
  bulk_request: v.lazy((input) => (isTooLong(input) ? TooMany : Operations) as typeof Operations),
});
export type BulkRequest = v.InferOutput<typeof BulkRequest>;

function isTooLong(input: unknown): boolean {
  return Array.isArray(input) && input.length > MAX_OPERATIONS;
}
