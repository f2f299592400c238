import * as v from "valibot";

const Size = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000));
const Fields = v.array(v.string());
const SeqNos = v.strictObject({
  range: v.strictObject({ _seq_no: v.strictObject({ gte: v.number(), lte: v.optional(v.number()) }) }),
});
const Name = v.optional(v.string());
const Field = v.strictObject({ exists: v.strictObject({ field: v.string(), _name: Name }) });
/** Whether a document has an embedding: its own, or those of passages. */
const Exists = v.union([
  Field,
  v.strictObject({ nested: v.strictObject({ path: v.string(), query: Field, _name: Name }) }),
]);

/** Searches by sequence number: pages of documents, and counts of them. */
export const Search = v.strictObject({
  size: Size,
  _source: v.optional(v.union([v.boolean(), Fields])),
  track_total_hits: v.optional(v.boolean()),
  seq_no_primary_term: v.optional(v.literal(true)),
  query: v.union([
    SeqNos,
    v.strictObject({ bool: v.strictObject({ filter: v.tuple([SeqNos]), should: v.array(Exists) }) }),
    v.strictObject({ bool: v.strictObject({ must_not: Exists }) }),
  ]),
  sort: v.optional(
    v.tuple([
      v.strictObject({ _seq_no: v.strictObject({ order: v.literal("asc"), unmapped_type: v.literal("long") }) }),
    ]),
  ),
  aggs: v.optional(
    v.strictObject({
      buckets: v.strictObject({
        histogram: v.strictObject({
          field: v.literal("_seq_no"),
          interval: v.pipe(v.number(), v.minValue(1)),
          min_doc_count: v.literal(1),
        }),
      }),
    }),
  ),
});

export const Documents = v.strictObject({
  docs: v.array(v.strictObject({ _id: v.string(), routing: v.optional(v.string()) })),
});

/** The search that finds all runs. */
export const Runs = v.strictObject({
  size: Size,
  query: v.strictObject({ ids: v.strictObject({ values: v.tuple([v.literal("run")]) }) }),
});

const Setting = v.optional(v.nullable(v.string()));

/** Settings that a new index gets when it has caught up, and the end of a write block. */
export const LateSettings = v.strictObject({
  "index.blocks.write": v.optional(v.null()),
  "index.refresh_interval": Setting,
  "index.gc_deletes": Setting,
  "index.default_pipeline": Setting,
  "index.final_pipeline": Setting,
});

const Alias = { index: v.string(), alias: v.string() };
export const Actions = v.strictObject({
  actions: v.array(
    v.union([
      v.strictObject({
        add: v.strictObject({
          ...Alias,
          filter: v.optional(v.record(v.string(), v.unknown())),
          index_routing: v.optional(v.string()),
          search_routing: v.optional(v.string()),
          is_write_index: v.optional(v.boolean()),
          is_hidden: v.optional(v.boolean()),
        }),
      }),
      v.strictObject({ remove: v.strictObject({ ...Alias, must_exist: v.optional(v.literal(true)) }) }),
      v.strictObject({ remove_index: v.strictObject({ index: v.string() }) }),
    ]),
  ),
});
