import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../platform/json/values.ts";
import { dimensionOf, isEndpointModel, type ModelName } from "../../settings/embedding-models.ts";
import type { HybridQuery } from "../../settings/hybrid-search.ts";
import type { Models } from "../../settings/model.ts";
import { bedrockModelId, vectorsOfEndpoint } from "../../settings/model-sources.ts";
import { passagesField, vectorField } from "../../settings/vectors.ts";
import type { IndexMeta } from "../index-meta/index-meta.ts";
import { findMapping } from "../resolve/entry.ts";
import { type IndexDescription, readIndexDescription, SchemaError } from "./index-description.ts";
import { fieldOnPath, withField } from "./mapping-path.ts";

/** The parts of a hybrid_search.yaml entry that the schema depends on. */
export type HybridEntry = Pick<HybridQuery, "index" | "embedding_mappings">;

/** The schema to extend, and the fields to add. */
export interface SemanticSchemaInput {
  /** Entries of hybrid_search.yaml. */
  entries: readonly HybridEntry[];
  models: Models;
  index: string;
  /** The base schema as parsed JSON. */
  base: unknown;
  /** The file of the base schema, for messages. */
  source: string;
  /** Returns the HNSW parameters of a vector field. Default: those of the engine. */
  hnsw?: (field: string) => Record<string, unknown>;
}

/**
 * Returns the base schema extended with `knn: true`, a knn_vector field for each dense mapping of the index and a
 * rank_features field for each sparse one. Throws SchemaError with every problem.
 */
export function semanticSchema({ entries, models, index, base, source, hnsw }: SemanticSchemaInput): IndexDescription {
  const entry = findMapping(entries, index);
  if (!entry) throw new SchemaError(noMapping(entries, index));
  const { schema, leftOut } = readIndexDescription(base, source);
  const properties = isObject(schema.mappings.properties) ? schema.mappings.properties : {};

  const wanted = entry.embedding_mappings.map((mapping) => ({
    ...mapping,
    field: fieldOf(mapping, models, hnsw?.(mapping.embedding_field)),
  }));
  const problems = wanted.flatMap(({ embedding_field, model_name, src_fields, field }) => [
    ...missingSources(properties, embedding_field, src_fields, source),
    ...conflicts(properties, embedding_field, model_name, field, source),
  ]);
  if (problems.length > 0) throw new SchemaError(problems.join("\n"));

  const extended = wanted.reduce(
    (all, { embedding_field, field }) => withField(all, embedding_field, field),
    properties,
  );
  return {
    schema: {
      settings: { index: { ...schema.settings.index, ...vectorSettings(entry.embedding_mappings) } },
      mappings: { ...schema.mappings, _meta: metaOf(schema.mappings._meta, entry, models), properties: extended },
      ...(schema.aliases && { aliases: schema.aliases }),
    },
    leftOut,
  };
}

/** Returns the `_meta` of a mapping with a description of its vectors: model, revision, chunking. */
function metaOf(before: unknown, { index, embedding_mappings }: HybridEntry, models: Models): Record<string, unknown> {
  const embeddings = embedding_mappings.map(({ embedding_field, model_name: model, src_fields, chunking }) => {
    const dimension = dimensionOf(model, models);
    const revision = vectorsOf(model, models);
    const made = { model, revision, ...(dimension !== undefined && { dimension }), src_fields, chunking };
    return [embedding_field, made] as const;
  });
  const relevance: IndexMeta = JSON.parse(JSON.stringify({ entry: index, embeddings: Object.fromEntries(embeddings) }));
  return { ...(isObject(before) ? before : {}), relevance };
}

/** Returns the identity of a model's vectors by model.yaml. */
export function vectorsOf(name: ModelName, models: Models): string {
  return isEndpointModel(name) ? vectorsOfEndpoint(name, models) : bedrockModelId(name, models);
}

/**
 * Returns the index settings that embedding fields require. The cluster (3.6) cannot open an index with both of them.
 */
export const vectorSettings = (mappings: HybridEntry["embedding_mappings"]): Record<string, boolean> =>
  mappings.some(({ vectors }) => vectors === "sparse_vector") ? { knn: false, sparse: true } : { knn: true };

/** Returns the mapping of a field for a model's embeddings. Dense embeddings of passages are in nested objects. */
function fieldOf(mapping: HybridEntry["embedding_mappings"][number], models: Models, parameters = {}) {
  const field = oneFieldOf(mapping, models, parameters);
  return mapping.chunking && field.dimension !== undefined ? passagesField(field) : field;
}

function oneFieldOf(
  { model_name, vectors }: HybridEntry["embedding_mappings"][number],
  models: Models,
  parameters: Record<string, unknown>,
): Record<string, unknown> {
  const dimension = dimensionOf(model_name, models);
  if (vectors !== undefined) return vectorField(vectors, dimension, parameters);
  if (dimension === undefined) return { type: "rank_features" };
  return {
    type: "knn_vector",
    dimension,
    method: { engine: "lucene", name: "hnsw", parameters, space_type: "cosinesimil" },
  };
}

function noMapping(entries: readonly HybridEntry[], index: string): string {
  const known = entries.map((entry) => entry.index).join(", ");
  const advice = known === "" ? "it has none" : `it has ${known}`;
  return `hybrid_search.yaml has no entry for the index "${index}": ${advice}`;
}

function missingSources(
  properties: Record<string, unknown>,
  field: string,
  sources: readonly string[],
  file: string,
): string[] {
  return sources.flatMap((path) => {
    const owner = multiFieldOwner(properties, path);
    if (owner !== undefined) {
      return `"${path}", a source of "${field}", is a multi-field: documents hold "${owner}", so name that in src_fields`;
    }
    if (hasField(properties, path)) return [];
    const advice = "add it to mappings.properties, or change src_fields in hybrid_search.yaml";
    return `${file} has no field "${path}", a source of "${field}": ${advice}`;
  });
}

function conflicts(
  properties: Record<string, unknown>,
  field: string,
  model: ModelName,
  wanted: Record<string, unknown>,
  file: string,
): string[] {
  const { path, field: there } = fieldOnPath(properties, field);
  if (there === undefined) return [];
  if (path !== field) {
    return [`${file} has the field "${path}" as ${describe(there)}, so it cannot hold the embedding field "${field}"`];
  }
  if (isObject(there) && isDeepStrictEqual(comparable(there), comparable(wanted))) return [];
  return [
    `${file} has the field "${field}" already, as ${describe(there)}, and ${model} needs ${describe(wanted)}: ` +
      "remove it from the base schema, or give embedding_field another name",
  ];
}

/** Normalizes a field for comparison: the cluster adds `parameters: {}` and omits defaults. */
function comparable(field: Record<string, unknown>): unknown {
  const method = isObject(field.method) ? { parameters: {}, ...field.method } : field.method;
  const data = typeof field.data_type === "string" && { data_type: field.data_type.toLowerCase() };
  return { ...field, ...(method !== undefined && { method }), ...data };
}

function describe(field: unknown): string {
  if (!isObject(field)) return JSON.stringify(field);
  const { type = "object", dimension, method, data_type, mode, compression_level } = field;
  const details = [
    dimension === undefined ? "" : `dimension ${dimension}`,
    ...[data_type, mode, compression_level].filter((word) => typeof word === "string"),
    isObject(method)
      ? [method.engine, method.name, method.space_type, encoderOf(method)].filter(Boolean).join(" ")
      : "",
  ].filter(Boolean);
  return details.length === 0 ? String(type) : `${type} (${details.join(", ")})`;
}

const encoderOf = ({ parameters }: Record<string, unknown>): string | undefined =>
  isObject(parameters) && isObject(parameters.encoder) ? String(parameters.encoder.name) : undefined;

/** Returns whether a dotted path leads to a field through objects. A field name may itself contain dots. */
function hasField(properties: Record<string, unknown>, path: string): boolean {
  const found = fieldOnPath(properties, path);
  return found.path === path && found.field !== undefined;
}

/**
 * Returns the field that a multi-field (`fields`) at this path belongs to. Documents contain no values for
 * multi-fields.
 */
function multiFieldOwner(properties: Record<string, unknown>, path: string): string | undefined {
  const [first = "", second = "", ...rest] = path.split(".");
  const field = Object.hasOwn(properties, first) ? properties[first] : undefined;
  if (!isObject(field)) return undefined;
  if (rest.length === 0 && isObject(field.fields) && Object.hasOwn(field.fields, second)) return first;
  if (!isObject(field.properties)) return undefined;
  const below = multiFieldOwner(field.properties, [second, ...rest].join("."));
  return below === undefined ? undefined : `${first}.${below}`;
}
