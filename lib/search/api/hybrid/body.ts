import { withMembers } from "../../../core/json/slices.ts";
import type { EmbeddingMapping } from "../../gateway/settings.ts";
import type { Template } from "./template.ts";

export interface BodyParts {
  queries: readonly unknown[];
  paginationDepth: number | undefined;
  /** JSON text. */
  pipeline: string;
  /** `_source` as JSON text, if the gateway sets it. */
  source: string | undefined;
  dropProfile: boolean;
}

/** Returns the native body: the caller's members byte for byte, with the hybrid clause, the pipeline and the depth set. */
export function hybridBody(template: Template, parts: BodyParts): string {
  const hybrid = {
    ...template.hybrid,
    ...(parts.paginationDepth !== undefined && { pagination_depth: parts.paginationDepth }),
    queries: parts.queries,
  };
  return withMembers(template.text, {
    query: JSON.stringify({ hybrid }),
    search_pipeline: parts.pipeline,
    ...(parts.source !== undefined && { _source: parts.source }),
    ...(parts.dropProfile && { profile: undefined }),
  });
}

/** Returns a `_source` without embeddings, a thousand numbers each, unless the template has its own. */
export function sourceOf(native: Record<string, unknown>, mappings: readonly EmbeddingMapping[]): string | undefined {
  if (native._source !== undefined || mappings.length === 0) return undefined;
  return JSON.stringify({ excludes: mappings.map(({ embedding_field }) => embedding_field) });
}
