import * as v from "valibot";
import { ApiError } from "../../platform/http/error.ts";
import { parseLossless } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { passageVector, type Vectors, vectorsOfField } from "../../settings/vectors.ts";
import { type IndexMeta, readIndexMeta } from "../index-meta/index-meta.ts";
import { isClusterError, jsonOf, readCall } from "./calls.ts";
import type { Cluster } from "./cluster.ts";
import { hiddenFields, type MappedField, SourceFilter, unheldFields } from "./hidden-fields.ts";
import { indices } from "./requests.ts";

export interface IndexField {
  type: string;
  /** The dimension of a knn_vector. */
  dimension?: number;
  /** Storage format of embeddings; absent for floats and `rank_features`. */
  vectors?: Vectors;
  /** The object with the cluster's own output for a `semantic` field: embeddings, and texts of passages. */
  madeIn?: string;
  /** Whether the field is inside a nested field. */
  isNested?: true;
}

export interface IndexAlias {
  isWriteIndex: boolean;
  /** Whether the alias has a filter. */
  isFiltered: boolean;
}

/** One concrete index as the cluster reports it. */
export interface IndexInfo {
  name: string;
  /** Leaf fields by dotted path, without multi-fields. */
  fields: ReadonlyMap<string, IndexField>;
  /** Fields that no document holds, and why. */
  unheld: ReadonlyMap<string, string>;
  /** The largest `from + size` of a search. */
  maxResultWindow: number;
  /** Its aliases by name. */
  aliases: ReadonlyMap<string, IndexAlias>;
  /** Whether any field is `nested`. */
  hasNested: boolean;
  /** The data stream that the index belongs to. */
  dataStream?: string;
  /** `_meta.relevance` of the mapping, which describes the vectors; absent if there is none. */
  meta?: IndexMeta;
  /** `_source` filter; absent if documents are complete. */
  source?: SourceFilter;
  /** Whether an ingest pipeline changes the documents that are written. */
  isPiped: boolean;
  /** Its `index.search.default_pipeline`, which may be `_none`. */
  searchPipeline?: string;
}

/** The processors of a stored search pipeline, unchanged. */
export type SearchPipeline = Readonly<
  Record<"request_processors" | "response_processors" | "phase_results_processors", readonly Processor[]>
>;

type Processor = Readonly<Record<string, unknown>>;

export const NO_PIPELINE: SearchPipeline = {
  request_processors: [],
  response_processors: [],
  phase_results_processors: [],
};

/** Resolves names and aliases. Caches existing ones for a minute; names that do not exist are looked up each time. */
export interface IndexCatalog {
  /**
   * Returns the concrete indexes of a name, an alias or an expression, sorted by name; empty if there is none. Calls
   * the cluster if the cached result is older than `maxAgeMs`, by default a minute.
   */
  resolve(expression: string, deadline: Deadline, maxAgeMs?: number): Promise<readonly IndexInfo[]>;
  /** Returns a stored search pipeline, cached for a minute; undefined if there is none with this id. */
  pipeline(id: string, deadline: Deadline): Promise<SearchPipeline | undefined>;
  /**
   * Removes these indexes, aliases or data streams from the cache; without names, everything. Called before a call that
   * may change an index.
   */
  forget(names?: readonly string[]): void;
  /** Whether all of these indexes, aliases or data streams existed within the last minute. */
  knows(names: readonly string[]): boolean;
  /** Records that they exist. */
  note(names: readonly string[]): void;
}

const KEEP_MS = 60_000;
const MAX_ENTRIES = 1_000;
const DEFAULT_RESULT_WINDOW = 10_000;

type Mapping = Omit<MappedField, "properties"> & {
  properties?: Record<string, Mapping>;
  dimension?: number;
  data_type?: unknown;
  mode?: unknown;
  compression_level?: unknown;
  method?: unknown;
  semantic_info_field_name?: string;
  _meta?: unknown;
  _source?: SourceFilter;
};
const Mapping: v.GenericSchema<unknown, Mapping> = v.object({
  properties: v.exactOptional(
    v.record(
      v.string(),
      v.lazy(() => Mapping),
    ),
  ),
  type: v.exactOptional(v.string()),
  path: v.exactOptional(v.string()),
  copy_to: v.exactOptional(v.union([v.string(), v.array(v.string())])),
  fields: v.exactOptional(v.record(v.string(), v.unknown())),
  dimension: v.exactOptional(v.number()),
  data_type: v.exactOptional(v.unknown()),
  mode: v.exactOptional(v.unknown()),
  compression_level: v.exactOptional(v.unknown()),
  method: v.exactOptional(v.unknown()),
  semantic_info_field_name: v.exactOptional(v.string()),
  _meta: v.exactOptional(v.unknown()),
  _source: v.exactOptional(SourceFilter),
});
const Described = v.record(
  v.string(),
  v.object({
    aliases: v.record(
      v.string(),
      v.object({ is_write_index: v.optional(v.boolean()), filter: v.optional(v.unknown()) }),
    ),
    mappings: Mapping,
    settings: v.record(v.string(), v.unknown()),
    data_stream: v.optional(v.string()),
  }),
);
type Described = v.InferOutput<typeof Described>;

const Processors = v.optional(v.array(v.record(v.string(), v.unknown())), []);
const Pipelines = v.record(
  v.string(),
  v.object({
    request_processors: Processors,
    response_processors: Processors,
    phase_results_processors: Processors,
  }),
);

export function createIndexCatalog(cluster: Cluster, now: () => number = () => performance.now()): IndexCatalog {
  const known = new Map<string, { at: number; indexes: readonly IndexInfo[] }>();
  const pipelines = new Map<string, { at: number; pipeline: SearchPipeline }>();
  /** When each index, alias or data stream was last seen. */
  const seen = new Map<string, number>();

  const note = (names: Iterable<string>) => {
    if (seen.size >= MAX_ENTRIES) seen.clear();
    for (const name of names) seen.set(name, now());
  };

  return {
    async resolve(expression, deadline, maxAgeMs = KEEP_MS) {
      const entry = known.get(expression);
      const at = now();
      if (entry && at < entry.at + maxAgeMs) return entry.indexes;
      const answer = await readCall(cluster, indices.get({ index: expression, flat_settings: true }), deadline);
      if (answer.status === 404 && isClusterError(answer)) return [];
      const described = v.safeParse(Described, jsonOf(answer));
      if (!described.success || (isOneName(expression) && Object.keys(described.output).length === 0)) {
        throw new ApiError("upstream_failed", "The search cluster did not describe the index that was asked for.", {
          cause: answer.body.toString("utf8", 0, 200),
        });
      }
      const indexes = Object.entries(described.output)
        .map(([name, index]) => indexInfo(name, index))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      if (indexes.length === 0) return [];
      if (known.size >= MAX_ENTRIES) known.clear();
      known.set(expression, { at, indexes });
      note(indexes.flatMap(namesOf));
      return indexes;
    },
    async pipeline(id, deadline) {
      const at = now();
      const kept = pipelines.get(id);
      if (kept && at < kept.at + KEEP_MS) return kept.pipeline;
      const request = { method: "GET", path: `/_search/pipeline/${encodeURIComponent(id)}` } as const;
      const answer = await readCall(cluster, request, deadline);
      if (answer.status === 404) return undefined;
      jsonOf(answer);
      // Numbers keep their text: the cluster fails on 1 where it expects 1.0.
      const stored = v.parse(Pipelines, parseLossless(answer.body.toString("utf8")))[id];
      if (!stored) return undefined;
      if (pipelines.size >= MAX_ENTRIES) pipelines.clear();
      pipelines.set(id, { at, pipeline: stored });
      return stored;
    },
    forget(names) {
      for (const [expression, { indexes }] of known) {
        const isKept = names && !indexes.some((index) => namesOf(index).some((name) => names.includes(name)));
        if (!isKept) known.delete(expression);
      }
      if (names) for (const name of names) seen.delete(name);
      else {
        seen.clear();
        pipelines.clear();
      }
    },
    knows: (names) => names.every((name) => now() < (seen.get(name) ?? Number.NEGATIVE_INFINITY) + KEEP_MS),
    note,
  };
}

/** Returns the names by which an index can be written to. */
const namesOf = ({ name, aliases, dataStream }: IndexInfo): string[] => [
  name,
  ...aliases.keys(),
  ...(dataStream === undefined ? [] : [dataStream]),
];

/** Returns whether an expression is a single index or alias. If it does not exist, the cluster answers 404. */
const isOneName = (expression: string): boolean => !/[*,<]|^_/.test(expression);

/** Returns the leaf fields of a mapping by dotted path, without multi-fields. */
export function fieldsOfMapping(mappings: unknown): ReadonlyMap<string, IndexField> {
  const fields = new Map<string, IndexField>();
  collect(v.parse(Mapping, mappings), "", fields);
  return fields;
}

/** Returns the leaf fields of a mapping that `_source` excludes. */
export const hiddenIn = (mappings: Record<string, unknown>): string[] =>
  hiddenFields(v.parse(SourceFilter, mappings._source ?? {}), fieldsOfMapping(mappings));

function indexInfo(name: string, index: Described[string]): IndexInfo {
  const fields = new Map<string, IndexField>();
  collect(index.mappings, "", fields);
  const meta = readIndexMeta(index.mappings._meta);
  const searchPipeline = index.settings["index.search.default_pipeline"];
  return {
    name,
    fields,
    unheld: unheldFields(index.mappings),
    maxResultWindow: Number(index.settings["index.max_result_window"] ?? DEFAULT_RESULT_WINDOW),
    aliases: new Map(
      Object.entries(index.aliases).map(([alias, { is_write_index, filter }]) => [
        alias,
        { isWriteIndex: is_write_index === true, isFiltered: filter !== undefined },
      ]),
    ),
    hasNested: hasNested(index.mappings),
    isPiped: ["default", "final"].some((one) => (index.settings[`index.${one}_pipeline`] ?? "_none") !== "_none"),
    ...(index.data_stream !== undefined && { dataStream: index.data_stream }),
    ...(meta && { meta }),
    ...(index.mappings._source && { source: index.mappings._source }),
    ...(typeof searchPipeline === "string" && { searchPipeline }),
  };
}

const hasNested = ({ type, properties = {} }: Mapping): boolean =>
  type === "nested" || Object.values(properties).some(hasNested);

/** Returns the field that contains a field's embeddings: the field itself, or the nested field of its passages. */
export function embeddingField(fields: IndexInfo["fields"], field: string): IndexField | undefined {
  const ofPassages = fields.get(passageVector(field));
  return fields.get(field) ?? (ofPassages?.isNested ? ofPassages : undefined);
}

/** Returns whether a field's embeddings belong to passages. */
export const hasPassages = (fields: IndexInfo["fields"], field: string): boolean =>
  !fields.has(field) && embeddingField(fields, field) !== undefined;

/** Returns a query for the documents that have the embedding of a field. */
export const hasEmbedding = (fields: IndexInfo["fields"], field: string): Record<string, object> =>
  hasPassages(fields, field)
    ? { nested: { path: field, query: { exists: { field: passageVector(field) } } } }
    : { exists: { field } };

function collect({ type: parent, properties = {} }: Mapping, prefix: string, into: Map<string, IndexField>): void {
  for (const [name, field] of Object.entries(properties)) {
    if (field.properties) collect(field, `${prefix}${name}.`, into);
    else if (field.type) {
      into.set(`${prefix}${name}`, {
        type: field.type,
        ...(field.dimension !== undefined && { dimension: field.dimension }),
        ...storedAs(field),
        ...(field.type === "semantic" && {
          madeIn: `${prefix}${field.semantic_info_field_name ?? `${name}_semantic_info`}`,
        }),
        ...(parent === "nested" && { isNested: true as const }),
      });
    }
  }
}

function storedAs(field: Mapping): Pick<IndexField, "vectors"> {
  const vectors = vectorsOfField(field);
  return vectors === undefined || vectors === "float" || vectors === "rank_features" ? {} : { vectors };
}
