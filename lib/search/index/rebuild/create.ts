import { dotted } from "../../access/settings.ts";
import type { IndexMeta } from "../../index-meta/index-meta.ts";
import { nameOfRun, runIndex } from "../../index-meta/run-names.ts";
import { clusterError } from "../../opensearch/calls.ts";
import { isAmong } from "../../opensearch/hidden-fields.ts";
import { fieldsOfMapping, hiddenIn } from "../../opensearch/index-catalog.ts";
import { RunFailure } from "./failure.ts";
import { indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";
import { createRecord, createRunIndex, newRun, type RunRecord } from "./run-record.ts";

/** Settings and mappings of a new index, in the form of `PUT /<index>`. */
export interface IndexBody {
  settings?: Record<string, unknown>;
  mappings?: Record<string, unknown>;
}

/** An index as the cluster describes it, with flat settings. */
export interface DescribedIndex {
  name: string;
  uuid: string;
  settings: Record<string, string>;
  mappings: Record<string, unknown>;
}

export interface NewRun {
  /** The alias, or the index itself. */
  name: string;
  /** Returns the body of the new index for the description of the old one. */
  bodyOf: (source: DescribedIndex) => IndexBody;
  /** Whether documents are embedded again, and into which fields. */
  embed: boolean;
  embeddingFields: readonly string[];
  /** The old index's entry of hybrid_search.yaml. */
  entry?: string | undefined;
  /** Allows deleting an index whose own name is used by clients, because an alias needs that name. */
  replaceIndex: boolean;
  now: Date;
  /** Sequence numbers per ledger bucket. Default: 1,000, whose ids make a record of about 50 kB. */
  width?: number;
}

/** Settings that only the cluster itself writes. */
const OF_THE_CLUSTER =
  /^index\.(uuid|version|creation_date|provided_name|history|resize|routing\.allocation\.initial_recovery|replication|knn\.derived_source|blocks)(\.|$)/;

/** Settings that would change or slow down copies. The new index gets them after catching up. */
const LATE = ["index.refresh_interval", "index.default_pipeline", "index.final_pipeline", "index.gc_deletes"];

/** Creates the new index and a run that fills it. Returns its record. Throws RunFailure if the name cannot be used. */
export async function createRun(calls: RunCalls, given: NewRun): Promise<RunRecord> {
  const { name, bodyOf, embed, embeddingFields, entry, replaceIndex, now, width = 1_000 } = given;
  const source = await describe(calls, name);
  if (source.name === name && !replaceIndex) {
    throw new RunFailure(
      `${name} is an index, not an alias. Its name can only become an alias when it is deleted, which rules out a ` +
        "rollback: add --replace-index if you want that",
    );
  }
  const run = newRun(name, now);
  // If the name is not a valid index name, the cluster's error says why.
  const target = nameOfRun(run.id) === undefined ? `${name}-${run.id}` : run.id;
  const { settings, mappings } = bodyOf(source);
  const wantedMappings = mappings ?? source.mappings;
  requireShown(source, embed ? embeddingFields : [], wantedMappings);
  const meta = { ...Object(wantedMappings._meta) } as Record<string, unknown>;
  // Copied vectors are still those of the old index, whatever the new mapping is.
  if (!embed) meta.relevance = (source.mappings._meta as Record<string, unknown> | undefined)?.relevance;
  // The old index may match its entry only by its own name.
  if (entry !== undefined) meta.relevance ??= { entry, embeddings: {} } satisfies IndexMeta;
  const toBytes = embed ? [] : convertedToBytes(source.mappings, wantedMappings);
  const wanted = { ...ownSettings(source), ...flat(settings ?? {}) };
  const late = Object.fromEntries(LATE.map((key) => [key, textOf(wanted[key])]));
  const early = Object.fromEntries(Object.entries(wanted).filter(([key]) => !LATE.includes(key)));
  const body = {
    // Tombstones must outlive late writes, which would otherwise restore deleted copies.
    settings: { ...early, "index.refresh_interval": "-1", "index.gc_deletes": "1h" },
    mappings: { ...wantedMappings, _meta: meta },
  };
  // Created first: a key that may not work on runs may still create indexes, and would leave one behind.
  await createRunIndex(calls, run.id);
  const drop = () => calls.json(indices.delete({ index: runIndex(run.id) }), [404]);
  const answer = await calls.json(indices.create({ index: target, body }), [400]).catch(async (error: unknown) => {
    await drop();
    throw error;
  });
  const { type, reason } = clusterError(answer);
  // The name is new. If the index exists, an earlier attempt created it and its answer was lost.
  if (answer.error !== undefined && type !== "resource_already_exists_exception") {
    await drop();
    throw new RunFailure(`The new index cannot be created: ${reason}`);
  }
  const record: RunRecord = {
    ...run,
    kind: "rebuild",
    source: source.name,
    source_uuid: source.uuid,
    target,
    width,
    embed,
    embedding_fields: [...embeddingFields],
    ...(toBytes.length > 0 && { to_bytes: toBytes }),
    late_settings: late,
    passes: 0,
    shards: {},
    tally: { ...run.tally, deleted: 0 },
  };
  await createRecord(calls, record);
  return record;
}

/**
 * Throws RunFailure for fields that `_source` excludes, because copies would lack them. Fields that are `embedded`
 * again or absent from `after` are exempt.
 */
export function requireShown(
  { name, mappings }: DescribedIndex,
  embedded: readonly string[],
  after: Record<string, unknown> = mappings,
): void {
  const wanted = fieldsOfMapping(after);
  const isEmbedded = (field: string) => embedded.some((one) => isAmong([field], one));
  const lost = hiddenIn(mappings).filter((field) => wanted.has(field) && !isEmbedded(field));
  if (lost.length === 0) return;
  throw new RunFailure(
    `The documents of ${name} do not show ${lost.join(", ")} (\`_source\` of the mapping), so they would be lost. Embedding ` +
      "fields of hybrid_search.yaml are embedded again; for others create an index, and import the documents from where they come from",
  );
}

/** Returns the fields whose vectors become bytes. Throws RunFailure for sparse fields that a copy cannot convert. */
function convertedToBytes(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const [old, changed] = [fieldsOfMapping(before), fieldsOfMapping(after)];
  return [...changed].flatMap(([field, { type, vectors }]) => {
    const was = old.get(field);
    const isSparse = (one: string | undefined) => one === "rank_features" || one === "sparse_vector";
    if (isSparse(type) && isSparse(was?.type) && type !== was?.type) {
      throw new RunFailure(`${field} is ${was?.type}, and ${type} uses another vocabulary: re-embed with --embed`);
    }
    return vectors === "byte" && was?.type === "knn_vector" && was.vectors !== "byte" ? [field] : [];
  });
}

/** Returns the index behind a name. Throws RunFailure if there is none or several. */
export async function describe(calls: RunCalls, name: string): Promise<DescribedIndex> {
  const answer = await calls.json(indices.get({ index: name, flat_settings: true }), [404]);
  if (answer.error !== undefined) throw new RunFailure(`There is no index or alias ${name}`);
  const [first, ...others] = Object.entries(answer);
  if (!first || others.length > 0) {
    throw new RunFailure(`${name} stands for ${Object.keys(answer).join(", ")}: name the index to rebuild`);
  }
  const [index, { settings = {}, mappings = {} }] = first as [string, Partial<DescribedIndex>];
  return { name: index, uuid: settings["index.uuid"] ?? "", settings, mappings };
}

function ownSettings({ settings }: DescribedIndex): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !OF_THE_CLUSTER.test(key)));
}

/** Returns settings as `index.…` keys, whether they are written nested, dotted or without `index`. */
const flat = (settings: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(dotted(settings).map(([path, value]) => [`index.${path}`, value]));

const textOf = (value: unknown): string | null => (value === undefined || value === null ? null : String(value));
