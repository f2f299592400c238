import type { IndexInfo } from "./index-catalog.ts";

const VECTOR_TYPES: ReadonlySet<string> = new Set(["knn_vector", "rank_features", "sparse_vector"]);

/** Returns the fields in which the cluster stores embeddings that it computes itself, of texts or passages. */
export function madeEmbeddings(fields: IndexInfo["fields"]): string[] {
  const folders = [...fields.values()].flatMap(({ madeIn }) => (madeIn === undefined ? [] : [`${madeIn}.`]));
  if (folders.length === 0) return [];
  return [...fields].flatMap(([name, { type }]) =>
    VECTOR_TYPES.has(type) && folders.some((folder) => name.startsWith(folder)) ? [name] : [],
  );
}
