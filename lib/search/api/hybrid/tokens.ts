import { MODELS } from "../../../config/embedding-models.ts";
import type { Issue } from "../../../core/http/error.ts";
import { isRawNumber } from "../../../core/json/values.ts";
import type { Embedding } from "../../embeddings/embedder.ts";
import type { EmbeddingMapping } from "../../gateway/settings.ts";

/** The parameters of native queries in which a token stands for an embedding. Anywhere else it is the caller's text. */
type Place = "vector" | "should" | "query_tokens" | "query_value";

/** The kind of embedding that each place takes. */
const KIND = {
  vector: "dense",
  should: "sparse",
  query_tokens: "sparse",
  query_value: "dense",
} as const satisfies Record<Place, Embedding["kind"]>;

/** One subquery and the embedding fields whose tokens it holds. */
export interface Leg {
  query: unknown;
  fields: ReadonlySet<string>;
}

/**
 * Returns the legs of a hybrid query with the embeddings that each needs, and an issue for each wrong token. A token is
 * `[field]` of a mapping, as the `vector` of a knn query, in the `should` of a bool, as the `query_tokens` of
 * neural_sparse, or as the `query_value` of a script.
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
    mapTokens(query, { keys: [], path: `${path}.${leg}` }, (text, place, at) => {
      const mapping = byToken.get(text);
      const kind = mapping && MODELS[mapping.model_name].kind;
      if (mapping && kind === KIND[place]) fields.add(mapping.embedding_field);
      else if (mapping) {
        issues.push({ path: at, message: `${text} is a ${kind} embedding; ${place} takes a ${KIND[place]} one` });
      } // A binary vector is a string as well.
      else if (place !== "query_value") {
        issues.push({ path: at, message: `${show(text)} is not a token; tokens are ${known}` });
      }
      return text;
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

/** Returns a copy of a subquery in which embeddings replace the tokens. */
export function replaceTokens(query: unknown, { embeddings, queryTokens }: ReplaceOptions): unknown {
  return mapTokens(query, { keys: [], path: "" }, (text, place) => {
    const field = text.slice(1, -1);
    const embedding = text === `[${field}]` ? embeddings.get(field) : undefined;
    if (embedding?.kind !== KIND[place]) return text;
    if (embedding.kind === "dense") return embedding.vector;
    return place === "should" ? sparseClauses(field, embedding.tokens, queryTokens) : embedding.tokens;
  });
}

/**
 * Returns clauses whose scores add up to the dot product of query and document weights. Without tokens it is a clause
 * that matches nothing, since the cluster takes an empty `should` for "all documents".
 */
function sparseClauses(field: string, tokens: Readonly<Record<string, number>>, queryTokens: boolean): unknown[] {
  const entries = Object.entries(tokens);
  if (entries.length === 0) return [{ match_none: {} }];
  if (queryTokens) return [{ neural_sparse: { [field]: { query_tokens: tokens } } }];
  return entries.map(([token, boost]) => ({ rank_feature: { field: `${field}.${token}`, linear: {}, boost } }));
}

interface Position {
  /** Keys of the objects around a value, up to the nearest array. */
  keys: readonly string[];
  /** Dotted, for messages. */
  path: string;
}

/** Returns what replaces a string at a token's place: itself, or a value; for `should` a list of clauses. */
type Replace = (text: string, place: Place, path: string) => unknown;

/** Returns a copy of a query with each string at a token's place replaced. */
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
  // Beside a filter `should` is optional and the sparse query would match every document.
  if (keys.at(-1) === "bool" && texts(mapped.should) < texts(value.should)) mapped.minimum_should_match ??= 1;
  return mapped;
}

/** Returns the token's place that these keys lead to. Fields may have the same names, so the query's name counts too. */
function placeOf(keys: readonly string[]): Place | undefined {
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
