import { isObject } from "../platform/json/values.ts";
import { MODELS, type ModelKind, type ModelName } from "./embedding-models.ts";

interface VectorFacts {
  /** The kind of model whose embeddings it stores. */
  of: ModelKind;
  /** The first version of OpenSearch that has it, in the form that this file writes. */
  since: string;
  /** Mode and compression level of the cluster, for those that it derives everything else from. */
  level?: { mode: "on_disk" | "in_memory"; compression_level: string };
}

/** Cosine similarity with Faiss, which what follows uses, came with 2.19. */
const onDisk = (compression_level: string): VectorFacts => ({
  of: "dense",
  since: "2.19",
  level: { mode: "on_disk", compression_level },
});

/** How an index stores the embeddings of a field, in the cluster's own words. */
export const VECTORS = {
  float: { of: "dense", since: "2.2" },
  byte: { of: "dense", since: "2.9" },
  sq: { of: "dense", since: "2.16" },
  // OpenSearch 3.6 wants other parameters of this encoder than 2.19; all versions make it of this mode and level.
  fp16: { of: "dense", since: "2.19", level: { mode: "in_memory", compression_level: "2x" } },
  binary: { of: "dense", since: "2.19" },
  on_disk_2x: onDisk("2x"),
  on_disk_4x: onDisk("4x"),
  on_disk_8x: onDisk("8x"),
  on_disk_16x: onDisk("16x"),
  on_disk_32x: onDisk("32x"),
  rank_features: { of: "sparse", since: "2.4" },
  sparse_vector: { of: "sparse", since: "3.3" },
} as const satisfies Record<string, VectorFacts>;

export type Vectors = keyof typeof VECTORS;

export const VECTOR_NAMES = Object.keys(VECTORS) as Vectors[];

/** Returns what a version of the cluster lacks for storing vectors so, such as `needs OpenSearch 3.3`; undefined if nothing. */
export function lacking(vectors: Vectors, version: string): string | undefined {
  const { since } = VECTORS[vectors];
  return version.localeCompare(since, "en", { numeric: true }) < 0 ? `needs OpenSearch ${since} or later` : undefined;
}

/** Returns the parameters that every HNSW graph has, of those of a method. */
const graphOf = ({ m, ef_construction }: Record<string, unknown>) => ({
  ...(m !== undefined && { m }),
  ...(ef_construction !== undefined && { ef_construction }),
});

/** Returns the field of a mapping that stores embeddings so. `parameters` are those of HNSW; sparse ones have no dimension. */
export function vectorField(
  vectors: Vectors,
  dimension: number | undefined,
  parameters: Record<string, unknown> = {},
): Record<string, unknown> {
  if (vectors === "rank_features") return { type: "rank_features" };
  if (vectors === "sparse_vector") return { type: "sparse_vector", method: { name: "seismic", parameters: {} } };
  const graph = graphOf(parameters);
  const field = { type: "knn_vector", dimension };
  const method = (engine: string, more = {}) => ({
    method: { engine, name: "hnsw", parameters: { ...graph, ...more }, space_type: "cosinesimil" },
  });
  const { level }: VectorFacts = VECTORS[vectors];
  if (level) {
    const isPlain = Object.keys(graph).length === 0;
    const space_type = "cosinesimil";
    return {
      ...field,
      ...level,
      ...(isPlain ? { space_type } : { method: { name: "hnsw", parameters: graph, space_type } }),
    };
  }
  switch (vectors) {
    case "byte":
      return { ...field, data_type: "byte", ...method("lucene") };
    case "sq":
      return { ...field, ...method("lucene", { encoder: { name: "sq", parameters: { bits: 7 } } }) };
    case "binary":
      return { ...field, ...method("faiss", { encoder: { name: "binary", parameters: { bits: 1 } } }) };
    default:
      return { ...field, ...method("lucene") };
  }
}

/** Returns how a field of a mapping stores embeddings; undefined for a field that stores none, or binary codes. */
export function vectorsOfField(field: Record<string, unknown>): Vectors | undefined {
  const { type, mode, compression_level: level, data_type: data = "float", method } = field;
  if (type === "rank_features" || type === "sparse_vector") return type;
  if (type !== "knn_vector") return undefined;
  const kind = String(data).toLowerCase();
  if (kind !== "float") return kind === "byte" ? "byte" : undefined;
  if (mode === "on_disk") {
    return VECTOR_NAMES.find((name) => name === `on_disk_${level ?? "32x"}`);
  }
  const { engine, parameters } = isObject(method) ? method : {};
  const encoder = isObject(parameters) && isObject(parameters.encoder) ? parameters.encoder.name : undefined;
  if (encoder === "binary" || level === "32x") return "binary";
  if (encoder === "sq") return engine === "lucene" ? "sq" : "fp16";
  return level === "2x" ? "fp16" : "float";
}

/**
 * The factor by which a search of such vectors gets more candidates, which it scores again with whole vectors. The cluster
 * itself does so for vectors on disk alone. Source: its default for the same compression.
 */
export const OVERSAMPLE_FACTOR: Partial<Record<Vectors, number>> = { binary: 3 };

/** How a text is split: 400 estimated tokens leave room for the models' 512, see docs/guides/passages.md. */
export const CHUNKING = { tokens: 400, overlap: 50, max_passages: 50 } as const;

/** Returns whether passages for a model are measured by characters: its tokenizer is not known. */
export const isByCharacters = (model: ModelName): boolean => MODELS[model].host === "bedrock";

/** Returns the field that holds the vectors of an embedding field with passages. */
export const passageVector = (field: string): string => `${field}.vector`;

/** Values that are read with a passage and never searched for. */
const STORED = { index: false, doc_values: false };

/** Returns the field of a mapping that stores passages, each with its vector. */
export const passagesField = (vector: Record<string, unknown>): Record<string, unknown> => ({
  type: "nested",
  properties: {
    vector,
    start: { type: "integer", ...STORED },
    end: { type: "integer", ...STORED },
    hash: { type: "keyword", ...STORED },
  },
});
