import { isObject } from "../../platform/json/values.ts";
import { type Vectors, vectorField, vectorsOfField } from "../../settings/vectors.ts";
import { fieldOnPath, withField } from "./mapping-path.ts";

/** A field of hybrid_search.yaml, and the storage format for its embeddings. */
interface VectorSetting {
  embedding_field: string;
  vectors?: Vectors | undefined;
}

/** Returns mappings in which embedding fields have the configured storage format. Other fields stay unchanged. */
export function changedVectors(
  mappings: Record<string, unknown>,
  wanted: readonly VectorSetting[],
): Record<string, unknown> {
  return wanted.reduce(
    (all, { embedding_field, vectors }) => (vectors === undefined ? all : changedAt(all, embedding_field, vectors)),
    mappings,
  );
}

function changedAt(parent: Record<string, unknown>, path: string, vectors: Vectors): Record<string, unknown> {
  const { properties } = parent;
  if (!isObject(properties)) return parent;
  const found = fieldOnPath(properties, path);
  if (found.path !== path || !isObject(found.field)) return parent;
  return { ...parent, properties: withField(properties, path, changedField(found.field, vectors)) };
}

function changedField(field: Record<string, unknown>, vectors: Vectors): Record<string, unknown> {
  // A nested field contains the vectors of passages.
  if (field.type === "nested") return changedAt(field, "vector", vectors);
  const before = vectorsOfField(field);
  if (before === undefined || before === vectors) return field;
  const parameters = isObject(field.method) && isObject(field.method.parameters) ? field.method.parameters : {};
  return vectorField(vectors, Number(field.dimension), parameters);
}
