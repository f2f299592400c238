import * as v from "valibot";
import { isObject } from "../../platform/json/values.ts";
import { heldIndex } from "../index-meta/index-meta.ts";
import { nameOfRun, RUN_INDEX_BODY, runOfTarget } from "../index-meta/run-names.ts";
import { type BodyCall, type BodyReader, newIndex as plainNewIndex } from "./bodies.ts";
import { aliasRefusal, firstOf, type Grant, namesRefusal, type Refusal, refusal, shown } from "./names.ts";
import { queryRefusal, strictJson } from "./query.ts";

const Size = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000));
const Fields = v.array(v.string());
const SeqNos = v.strictObject({
  range: v.strictObject({ _seq_no: v.strictObject({ gte: v.number(), lte: v.optional(v.number()) }) }),
});
const Name = v.optional(v.string());
const Field = v.strictObject({ exists: v.strictObject({ field: v.string(), _name: Name }) });
/** Matches documents that have an embedding: of their own or of their passages. */
const Exists = v.union([
  Field,
  v.strictObject({ nested: v.strictObject({ path: v.string(), query: Field, _name: Name }) }),
]);

const Search = v.strictObject({
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

const Documents = v.strictObject({
  docs: v.array(v.strictObject({ _id: v.string(), routing: v.optional(v.string()) })),
});

const Runs = v.strictObject({
  size: Size,
  query: v.strictObject({ ids: v.strictObject({ values: v.tuple([v.literal("run")]) }) }),
});

const Setting = v.optional(v.nullable(v.string()));

const LateSettings = v.strictObject({
  "index.blocks.write": v.optional(v.null()),
  "index.refresh_interval": Setting,
  "index.gc_deletes": Setting,
  "index.default_pipeline": Setting,
  "index.final_pipeline": Setting,
});

const Alias = { index: v.string(), alias: v.string() };
const Actions = v.strictObject({
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

/** Returns a reader that accepts JSON objects of one schema. */
const form =
  <Schema extends v.GenericSchema>(
    schema: Schema,
    check: (body: v.InferOutput<Schema>, call: BodyCall) => Refusal | undefined = () => undefined,
  ): BodyReader =>
  (call) => {
    const parsed = v.safeParse(schema, strictJson(call.text)?.value);
    return parsed.success ? check(parsed.output, call) : UNKNOWN_BODY;
  };

const UNKNOWN_BODY = refusal("body", "no command of administration sends this body");

/** Accepts only an empty body. */
export const none: BodyReader = ({ text }) => (text === "" ? undefined : UNKNOWN_BODY);

/** Accepts searches by sequence number: pages of documents, and counts of them. */
export const search = form(Search);

export const documents = form(Documents);

/** Accepts the search that finds all runs. */
export const runs = form(Runs);

/** Accepts any body: the record of a run. */
export const anything: BodyReader = () => undefined;

/** Accepts settings that a new index gets after catching up, and the end of a write block. */
export const lateSettings = form(LateSettings, (settings, { rights: { grant } }) => {
  const pipeline = settings["index.default_pipeline"] ?? settings["index.final_pipeline"];
  return grant === undefined || pipeline === undefined || pipeline === null
    ? undefined
    : refusal("pipeline", "a pipeline can change the index of a document; a key without indexes may set one");
});

/** Settings of an existing index that a rebuild copies to the new one, in addition to those that every key may set. */
const COPIED =
  /^(settings\.)?index\.(hidden|priority|routing_partition_size|routing\.allocation\..+|plugins\.index_state_management\..+)$/;

/**
 * The same for a key without index patterns, which may also set a pipeline: a pipeline can change the index of a
 * document.
 */
const COPIED_PIPELINE = /^(settings\.)?index\.search\.default_pipeline$/;

/** Accepts a new index: that of a run, whose body is fixed, or one with settings, mappings and aliases. */
export const newIndex: BodyReader = (call) => {
  const body = strictJson(call.text)?.value;
  if (!isObject(body)) return UNKNOWN_BODY;
  if (JSON.stringify(body) === JSON.stringify(RUN_INDEX_BODY)) return undefined;
  const { aliases = {}, settings, ...others } = body;
  if (!isObject(aliases)) return UNKNOWN_BODY;
  const { rights } = call;
  const { grant } = rights;
  const kept = isObject(settings)
    ? Object.fromEntries(
        Object.entries(settings).filter(
          ([name]) => !COPIED.test(name) && !(grant === undefined && COPIED_PIPELINE.test(name)),
        ),
      )
    : settings;
  return (
    firstOf(Object.keys(aliases), (name) => aliasRefusal(name) ?? namesRefusal(name, grant, PLAIN)) ??
    queryRefusal(aliases, rights) ??
    plainNewIndex({ ...call, text: JSON.stringify({ ...others, ...(kept !== undefined && { settings: kept }) }) })
  );
};

const PLAIN = { wildcards: false };

/**
 * Accepts changes of aliases. A key with index patterns may add an alias within them, and move any alias between its
 * indexes: the cluster executes the whole call only if a removed alias with `must_exist` exists.
 */
export const aliases = form(Actions, ({ actions }, { rights }) => {
  const { grant } = rights;
  const moved = new Set(
    actions.flatMap((one) => ("remove" in one && one.remove.must_exist === true ? [one.remove.alias] : [])),
  );
  return firstOf(actions, (one) => {
    if ("remove_index" in one) return namesRefusal(one.remove_index.index, grant, PLAIN);
    const { index, alias } = "add" in one ? one.add : one.remove;
    const named = namesRefusal(index, grant, PLAIN) ?? aliasRefusal(alias);
    if (named || "remove" in one) return named;
    return queryRefusal(one.add.filter, rights) ?? (moved.has(alias) ? undefined : addedRefusal(alias, grant));
  });
});

function addedRefusal(alias: string, grant: Grant): Refusal | undefined {
  const run = runOfTarget(alias);
  if (run !== undefined) return runRefusal(run, grant);
  return namesRefusal(heldIndex(alias) ?? alias, grant, PLAIN);
}

/** Returns why a key may not use a run: the index that it works on is outside its patterns. */
export function runRefusal(run: string, grant: Grant): Refusal | undefined {
  const wrong = run.includes(",") ? refusal("name", `${shown(run)} is not a run`) : namesRefusal(run, undefined, PLAIN);
  if (wrong || grant === undefined) return wrong;
  const name = nameOfRun(run);
  return name === undefined
    ? refusal("index", `the run ${shown(run)} names no index`)
    : namesRefusal(name, grant, PLAIN);
}
