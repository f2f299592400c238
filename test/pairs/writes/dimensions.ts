import type { Constraint, Row } from "../array.ts";

/** What a write can be: each dimension with its values, the usual one first. */
export const WRITES = {
  op: ["index", "create", "update", "upsert", "delete"],
  /** Whether the document exists before. */
  before: ["present", "absent"],
  form: ["name", "alias", "write-alias", "filtered-alias", "data-stream", "rolled-over", "date-math"],
  entry: ["exact", "none", "prefix", "alias", "described"],
  meta: ["none", "current", "previous", "unknown"],
  /** The source fields of the document: `text` and `brand.name`. */
  fields: [
    "text",
    "array",
    "null",
    "null-in-array",
    "none",
    "dotted",
    "number",
    "own-vector",
    "precise",
    "object",
    "long",
  ],
  /** How the index stores embeddings; with the last value it has sparse ones alone. */
  vectors: ["float", "byte", "sq", "sparse_vector"],
  /** Passages: of index and entry, of the entry alone (the index is older), or of the index alone (the entry is newer). */
  passages: ["none", "both", "entry", "index"],
  routing: ["none", "given"],
  version: ["none", "external", "external_gte", "if_seq_no", "stale"],
  /** The index's own ingest pipeline, of which one changes the text after it was embedded. */
  pipeline: ["none", "default", "final", "changes-text"],
  failure: ["fail", "degrade"],
  model: ["up", "down"],
  encoding: ["identity", "gzip"],
  key: ["printed", "limited"],
} as const;

export type WriteRow = Row<typeof WRITES>;
type Part = Partial<WriteRow>;

const has = (value: string | undefined, ...values: string[]) => value !== undefined && values.includes(value);
const isStream = ({ form }: Part) => has(form, "data-stream", "rolled-over");

export const WRITE_CONSTRAINTS: ReadonlyArray<Constraint<typeof WRITES>> = [
  { reason: "OpenSearch gives data streams no aliases", excludes: (row) => isStream(row) && row.entry === "alias" },
  {
    reason: "without _meta an index names no entry",
    excludes: ({ entry, meta }) => entry === "described" && meta === "none",
  },
  {
    reason: "a data stream takes new documents alone",
    excludes: (row) =>
      isStream(row) && (has(row.op, "index", "update", "upsert", "delete") || row.before === "present"),
  },
  {
    reason: "a data stream takes no routing and no version of a document",
    excludes: (row) =>
      isStream(row) && (row.routing === "given" || has(row.version, "external", "external_gte", "if_seq_no", "stale")),
  },
  {
    reason: "versions from outside are those of index and delete",
    excludes: ({ op, version }) => has(version, "external", "external_gte") && has(op, "create", "update", "upsert"),
  },
  {
    reason: "create and doc_as_upsert take no condition",
    excludes: ({ op, version }) => has(version, "if_seq_no", "stale") && has(op, "create", "upsert"),
  },
  {
    reason: "a document that is absent has no sequence number",
    excludes: ({ before, version }) => before === "absent" && has(version, "if_seq_no", "stale"),
  },
  {
    reason: "a delete has no document",
    excludes: ({ op, fields, model }) =>
      op === "delete" && (model === "down" || (fields !== undefined && fields !== "text")),
  },
  {
    reason: "OpenSearch opens no index that has dense vectors, also those of passages, beside sparse_vector",
    excludes: ({ vectors, passages }) => vectors === "sparse_vector" && has(passages, "both", "index"),
  },
  {
    reason: "without an entry nothing is split",
    excludes: ({ passages, entry }) => entry === "none" && has(passages, "both", "entry", "index"),
  },
  {
    reason: "without a text, or with a vector of its own, no model is asked",
    excludes: ({ model, fields }) => model === "down" && has(fields, "null", "none", "number", "own-vector", "object"),
  },
];

/** Returns the dimensions for a version of the cluster: sparse_vector came with OpenSearch 3.3. */
export function writeDimensions(version: string) {
  if (!version.startsWith("2.")) return WRITES;
  return {
    ...WRITES,
    vectors: WRITES.vectors.filter((value) => value !== "sparse_vector"),
  } as unknown as typeof WRITES;
}
