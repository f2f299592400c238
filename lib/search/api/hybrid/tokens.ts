import { MODELS } from "../../../config/embedding-models.ts";
import type { Issue } from "../../../core/http/error.ts";
import { isRawNumber } from "../../../core/json/lossless.ts";
import type { Embedding } from "../../embeddings/embedder.ts";
import type { EmbeddingMapping } from "../../gateway/settings.ts";

/** Where a token stands decides what replaces it. */
type Place = "vector" | "should" | "other";

/** One subquery and the embedding fields whose tokens it holds. */
export interface Leg {
  query: unknown;
  fields: ReadonlySet<string>;
}

/**
 * Reads the legs of a hybrid query: which embeddings each needs, and what is wrong with its tokens. A token is a string
 * that equals `[field]` of a mapping; as the value of `vector` or `should` any other string is an error, elsewhere it
 * is left alone.
 */
export function readLegs(
  queries: readonly unknown[],
  mappings: readonly EmbeddingMapping[],
  path: string,
): { legs: Leg[]; issues: Issue[] } {
  const byToken = new Map(mappings.map((mapping) => [`[${mapping.embedding_field}]`, mapping]));
  const known = mappings.map(({ embedding_field }) => `[${embedding_field}]`).join(", ") || "none for this index";
  const issues: Issue[] = [];
  const legs = queries.map((query, leg) => {
    const fields = new Set<string>();
    visit(query, { path: `${path}.${leg}`, keys: [], place: "other" }, (text, at, place) => {
      const mapping = byToken.get(text);
      if (!mapping) {
        if (place !== "other") issues.push({ path: at, message: `${show(text)} is not a token; tokens are ${known}` });
        return;
      }
      const { kind } = MODELS[mapping.model_name];
      if (place === "vector" && kind === "sparse") {
        issues.push({ path: at, message: `${text} is a sparse embedding; vector takes a dense one` });
      } else if (place === "should" && kind === "dense") {
        issues.push({ path: at, message: `${text} is a dense embedding; should takes a sparse one` });
      } else fields.add(mapping.embedding_field);
    });
    return { query, fields };
  });
  return { legs, issues };
}

export interface ReplaceOptions {
  embeddings: ReadonlyMap<string, Embedding>;
  /** Whether the cluster knows `neural_sparse` with `query_tokens`. */
  queryTokens: boolean;
}

/** The subquery with its tokens replaced: a new value, the leg is left as it is. */
export function replaceTokens(query: unknown, options: ReplaceOptions): unknown {
  if (typeof query === "string") return embeddingOf(query, options) ?? query;
  if (Array.isArray(query)) return query.map((item) => replaceTokens(item, options));
  if (!isObject(query)) return query;
  const replaced: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(query)) {
    replaced[key] = key === "should" ? replaceShould(value, options) : replaceTokens(value, options);
  }
  // Beside a filter, `should` is optional and would match everything.
  const sparse = options.embeddings.size > 0 && shouldTokens(query.should, options).length > 0;
  if (sparse && replaced.minimum_should_match === undefined) replaced.minimum_should_match = 1;
  return replaced;
}

function replaceShould(should: unknown, options: ReplaceOptions): unknown {
  if (typeof should === "string") {
    const [field] = shouldTokens(should, options);
    return field === undefined ? should : sparseClauses(field, options);
  }
  if (!Array.isArray(should)) return replaceTokens(should, options);
  return should.flatMap((clause) => {
    const [field] = shouldTokens(clause, options);
    return field === undefined ? [replaceTokens(clause, options)] : sparseClauses(field, options);
  });
}

/** The fields of sparse tokens among the clauses of a `should`. */
function shouldTokens(should: unknown, { embeddings }: ReplaceOptions): string[] {
  const clauses = Array.isArray(should) ? should : [should];
  return clauses.flatMap((clause) => {
    const field = typeof clause === "string" ? clause.slice(1, -1) : "";
    const token = clause === `[${field}]` && embeddings.get(field)?.kind === "sparse";
    return token ? [field] : [];
  });
}

/**
 * Clauses whose score is the dot product of query and document weights. An empty set matches nothing: the cluster
 * takes an empty `should` for "all documents".
 */
function sparseClauses(field: string, { embeddings, queryTokens }: ReplaceOptions): unknown[] {
  const embedding = embeddings.get(field);
  const tokens = embedding?.kind === "sparse" ? embedding.tokens : {};
  const entries = Object.entries(tokens);
  if (entries.length === 0) return [{ match_none: {} }];
  if (queryTokens) return [{ neural_sparse: { [field]: { query_tokens: tokens } } }];
  return entries.map(([token, boost]) => ({ rank_feature: { field: `${field}.${token}`, linear: {}, boost } }));
}

function embeddingOf(text: string, { embeddings }: ReplaceOptions): unknown {
  if (!text.startsWith("[") || !text.endsWith("]")) return undefined;
  const embedding = embeddings.get(text.slice(1, -1));
  return embedding?.kind === "dense" ? embedding.vector : embedding?.tokens;
}

interface Position {
  path: string;
  keys: readonly string[];
  place: Place;
}

type Found = (text: string, path: string, place: Place) => void;

function visit(value: unknown, { path, keys, place }: Position, found: Found): void {
  if (typeof value === "string") found(value, path, place);
  else if (Array.isArray(value)) {
    // A string among the clauses of `should` can only be a token; an array under `vector` is a given vector.
    const inner = place === "should" ? place : "other";
    for (const [index, item] of value.entries()) visit(item, { path: `${path}.${index}`, keys, place: inner }, found);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      visit(item, { path: `${path}.${key}`, keys: [...keys, key], place: placeOf(key, keys) }, found);
    }
  }
}

/** `vector` of a knn query and `should` of a bool query; fields may have these names too. */
function placeOf(key: string, keys: readonly string[]): Place {
  if (key === "vector" && keys.at(-2) === "knn") return "vector";
  return key === "should" && keys.at(-1) === "bool" ? "should" : "other";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !isRawNumber(value);

const show = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
