import type { Issue } from "../../../platform/http/error.ts";
import { isRawNumber } from "../../../platform/json/values.ts";
import { MODELS } from "../../../settings/embedding-models.ts";
import { OVERSAMPLE_FACTOR, type Vectors } from "../../../settings/vectors.ts";
import { byteVector } from "../../embeddings/byte-vector.ts";
import type { Embedding } from "../../embeddings/embedder.ts";
import type { EmbeddingMapping } from "../../gateway/settings.ts";

/** The parameters of native queries in which a token stands for an embedding. Anywhere else it is the caller's text. */
type TokenPlace = "vector" | "should" | "query_tokens" | "query_value";

/** The kind of embedding at each token's position. */
const KIND = {
  vector: "dense",
  should: "sparse",
  query_tokens: "sparse",
  query_value: "dense",
} as const satisfies Record<TokenPlace, Embedding["kind"]>;

/** One subquery, and the embedding fields whose tokens it contains. */
export interface Subquery {
  query: unknown;
  fields: ReadonlySet<string>;
}

/**
 * Returns the subqueries of a hybrid query with the embeddings that each needs, and an issue for each wrong token. A token
 * is `[field]` of a mapping, as the `vector` of a knn query, in the `should` of a bool, as the `query_tokens` of
 * neural_sparse, or as the `query_value` of a script.
 */
export function readSubqueries(
  queries: readonly unknown[],
  mappings: readonly EmbeddingMapping[],
  path: string,
): { subqueries: Subquery[]; issues: Issue[] } {
  const byToken = new Map(mappings.map((mapping) => [`[${mapping.embedding_field}]`, mapping]));
  const known = mappings.map(({ embedding_field }) => `[${embedding_field}]`).join(", ") || "none for this index";
  const issues: Issue[] = [];
  const subqueries = queries.map((query, subquery) => {
    const fields = new Set<string>();
    mapTokens(query, { keys: [], path: `${path}.${subquery}` }, (text, place, at) => {
      const mapping = byToken.get(text);
      const kind = mapping && MODELS[mapping.model_name].kind;
      if (mapping && kind === KIND[place]) fields.add(mapping.embedding_field);
      else if (mapping) {
        issues.push({ path: at, message: `${text} is a ${kind} embedding; ${place} takes a ${KIND[place]} one` });
      } // In a script's `query_value`, a string without brackets may also be a binary vector.
      else if (place !== "query_value") {
        issues.push({ path: at, message: `${show(text)} is not a token; tokens are ${known}` });
      }
      return text;
    });
    return { query, fields };
  });
  return { subqueries, issues };
}

/** Returns whether the text of a search is embedded for a query. */
export function hasTokens(query: unknown): boolean {
  let found = false;
  mapTokens(query, { keys: [], path: "" }, (text) => {
    found ||= /^\[.+\]$/.test(text);
    return text;
  });
  return found;
}

export interface ReplaceOptions {
  embeddings: ReadonlyMap<string, Embedding>;
  /** Storage formats of fields, except for those that store embeddings unchanged. */
  stored?: ReadonlyMap<string, Vectors>;
  /** Hits that an approximate search of `sparse_vector` fetches. Default: 10, as in the cluster. */
  candidates?: number;
  /** Whether the cluster supports `neural_sparse` with `query_tokens`. */
  queryTokens: boolean;
}

/** Returns a copy of a subquery in which embeddings replace the tokens. */
export function replaceTokens(query: unknown, options: ReplaceOptions): unknown {
  const { embeddings, stored } = options;
  return mapTokens(stored ? withRescoring(query, stored) : query, { keys: [], path: "" }, (text, place) => {
    const field = text.slice(1, -1);
    const embedding = text === `[${field}]` ? embeddings.get(field) : undefined;
    if (embedding?.kind !== KIND[place]) return text;
    if (embedding.kind === "dense") {
      return stored?.get(field) === "byte" ? byteVector(embedding.vector) : embedding.vector;
    }
    return place === "should" ? sparseClauses(field, embedding.tokens, options) : embedding.tokens;
  });
}

/**
 * Returns clauses whose scores add up to the dot product of query and document weights. Without tokens, returns a
 * clause that matches nothing, because an empty `should` matches all documents.
 */
function sparseClauses(
  field: string,
  tokens: Readonly<Record<string, number>>,
  { stored, candidates, queryTokens }: ReplaceOptions,
): unknown[] {
  const entries = Object.entries(tokens);
  if (entries.length === 0) return [{ match_none: {} }];
  if (stored?.get(field) === "sparse_vector") {
    const method_parameters = candidates !== undefined && { method_parameters: { k: candidates } };
    return [{ neural_sparse: { [field]: { query_tokens: tokens, ...method_parameters } } }];
  }
  if (queryTokens) return [{ neural_sparse: { [field]: { query_tokens: tokens } } }];
  return entries.map(([token, boost]) => ({ rank_feature: { field: `${field}.${token}`, linear: {}, boost } }));
}

interface Position {
  /** Keys of the objects around a value, up to the nearest array. */
  keys: readonly string[];
  /** Dotted path for messages. */
  path: string;
}

/**
 * Returns the replacement of a string at a token's position: the string itself, or a value; for `should` a list of
 * clauses.
 */
type Replace = (text: string, place: TokenPlace, path: string) => unknown;

/** Returns a copy of a query in which every string at a token's position is replaced. */
function mapTokens(value: unknown, { keys, path }: Position, replace: Replace): unknown {
  const place = placeOf(keys);
  if (typeof value === "string") return place ? replace(value, place, path) : value;
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const at = { keys: [], path: `${path}.${index}` };
      if (place === "should" && typeof item === "string") return replace(item, place, at.path);
      return [mapTokens(item, at, replace)];
    });
  }
  if (!isObject(value)) return value;
  const mapped: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    mapped[key] = mapTokens(item, { keys: [...keys, key], path: `${path}.${key}` }, replace);
  }
  // With a filter, `should` is optional, and the sparse query would match every document.
  if (keys.at(-1) === "bool" && texts(mapped.should) < texts(value.should)) mapped.minimum_should_match ??= 1;
  return mapped;
}

/**
 * Returns the kind of token position that these keys lead to. Fields may have the same names, so the query's name
 * counts too.
 */
function placeOf(keys: readonly string[]): TokenPlace | undefined {
  const [query, field, key] = keys.slice(-3);
  if (query === "knn" && key === "vector") return "vector";
  if (query === "neural_sparse" && key === "query_tokens") return "query_tokens";
  if (query === "script" && field === "params" && key === "query_value") return "query_value";
  return keys.at(-2) === "bool" && keys.at(-1) === "should" ? "should" : undefined;
}

const texts = (should: unknown): number => [should].flat().filter((clause) => typeof clause === "string").length;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !isRawNumber(value);

const show = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/**
 * Returns a query whose knn clauses rescore candidates with full-precision vectors, if the cluster does not do so by
 * default. `stored` has the storage formats of fields. A clause with its own `rescore` keeps it.
 */
function withRescoring(query: unknown, stored: ReadonlyMap<string, Vectors>): unknown {
  return [...stored.values()].some((one) => OVERSAMPLE_FACTOR[one]) ? rescored(query, stored, false) : query;
}

function rescored(value: unknown, stored: ReadonlyMap<string, Vectors>, isKnn: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => rescored(item, stored, false));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = rescored(item, stored, key === "knn");
      const token = isKnn && isObject(item) && typeof item.vector === "string" ? item.vector.slice(1, -1) : "";
      const vectors = stored.get(token);
      const oversample_factor = vectors && OVERSAMPLE_FACTOR[vectors];
      return [key, oversample_factor === undefined ? inner : { rescore: { oversample_factor }, ...Object(inner) }];
    }),
  );
}
