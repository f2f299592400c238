import type { OnEmbeddingFailure } from "../../../platform/contract/search.ts";
import type { Degradation } from "../../../platform/http/degradation.ts";
import { ApiError, type Issue } from "../../../platform/http/error.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import { isRawNumber } from "../../../platform/json/values.ts";
import { type Deadline, earlier } from "../../../platform/resilience/deadline.ts";
import { MODELS } from "../../../settings/embedding-models.ts";
import type { Vectors } from "../../../settings/vectors.ts";
import { byteVector } from "../../embeddings/byte-vector.ts";
import { type EmbedderName, type Embedding, EmbeddingError } from "../../embeddings/embedder.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import type { EmbeddingMapping } from "../../gateway/settings.ts";
import type { Stopwatch } from "../../run/reply.ts";
import { highlighted } from "./best-passages.ts";
import { withRescoring } from "./rescoring.ts";
import { type HybridTarget, versionIssues } from "./target.ts";
import type { Template } from "./template.ts";

/** Inputs of a hybrid search's subqueries. */
interface QueriesRequest {
  /** The text to embed. */
  query: string;
  weights: readonly number[] | null;
  deadline: Deadline;
}

/** The subqueries that can run, with their weights, and those that cannot. */
export interface RunnableQueries {
  queries: unknown[];
  weights: number[] | null;
  degraded: Degradation[];
  /** The embeddings of the query text by field. */
  embeddings: ReadonlyMap<string, Embedding>;
}

/** Returns the subqueries that can run, with embeddings in place of their tokens, and their weights. */
export async function runnableQueries(
  services: GatewayServices,
  { query, weights: asked, deadline }: QueriesRequest,
  template: Template,
  { embedding_mappings, onFailure, embedders, incompatible, stored, passages, candidates, can }: HybridTarget,
  watch: Stopwatch,
): Promise<RunnableQueries> {
  const path = "search_request_template.query.hybrid.queries";
  const { subqueries, issues } = readSubqueries(template.queries, embedding_mappings, path);
  const problems = [...issues, ...versionIssues(can, template.page.from)];
  if (problems.length > 0) throw invalidRequest(problems);

  const shown = highlighted(template.native, passages);
  const used = new Map(
    [...embedders].filter(([field]) => shown.includes(field) || subqueries.some(({ fields }) => fields.has(field))),
  );
  // Half of the time, so that the other subqueries can still run if a model does not answer.
  const half = earlier(deadline, deadline.remaining() / 2);
  const embedded = await watch.time("embedding", () => embedQuery(services, query, { fields: used, stored }, half));
  for (const [field, reason] of incompatible)
    embedded.failures.set(field, new EmbeddingError(reason, { retryable: false }));
  const { kept, weights, degraded } = planSubqueries(subqueries, embedded, asked, onFailure);
  const { embeddings } = embedded;
  const how = { embeddings, stored, candidates, queryTokens: can.queryTokens };
  const queries = kept.map((subquery) => replaceTokens(template.queries[subquery], how));
  return { queries, weights, degraded, embeddings };
}

const WEIGHT_CHANGE: Record<LeftWeights["change"], string> = {
  none: "",
  scaled: "; the remaining weights are scaled to sum 1",
  equal: "; the remaining weights were all 0 and count equally",
};

/**
 * Returns the positions of the subqueries whose embeddings did not fail, from 0. Throws `upstream_unavailable` if none
 * remains, or if `onFailure` is `fail`.
 */
function planSubqueries(
  subqueries: readonly Subquery[],
  { failures }: QueryEmbeddings,
  weights: readonly number[] | null,
  onFailure: OnEmbeddingFailure,
): Omit<RunnableQueries, "queries" | "embeddings"> & { kept: number[] } {
  const kept: number[] = [];
  const left: Array<{ subquery: number; field: string; reason: string }> = [];
  for (const [subquery, { fields }] of subqueries.entries()) {
    const failed = [...fields].find((field) => failures.has(field));
    if (failed === undefined) kept.push(subquery);
    else left.push({ subquery, field: failed, reason: failures.get(failed)?.message ?? "" });
  }
  if (left.length === 0) return { kept, weights: weights && [...weights], degraded: [] };
  const said = left.map(({ subquery, field, reason }) => `subquery ${subquery + 1} (${field}): ${reason}`).join("; ");
  const cause = [...failures.values()];
  const seconds = Math.max(0, ...cause.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
  const options = { cause, headers: seconds > 0 ? { "retry-after": String(seconds) } : {} };
  if (kept.length === 0) throw new ApiError("upstream_unavailable", `No subquery can run: ${said}.`, options);
  if (onFailure === "fail") {
    throw new ApiError("upstream_unavailable", `The query text could not be embedded: ${said}.`, options);
  }
  const remaining = leftWeights(weights, kept);
  const degraded = left.map(({ subquery, field, reason }): Degradation => {
    const effect = `subquery ${subquery + 1} left out${WEIGHT_CHANGE[remaining.change]}`;
    return { stage: "embedding", target: field, reason, effect };
  });
  return { kept, weights: remaining.weights, degraded };
}

/** The weights of the remaining subqueries, and how they were changed. */
interface LeftWeights {
  weights: number[] | null;
  change: "none" | "scaled" | "equal";
}

/** Returns the weights of the subqueries in `kept`, scaled to sum 1, or equal when they sum to 0. */
export function leftWeights(weights: readonly number[] | null, kept: readonly number[]): LeftWeights {
  if (weights === null || kept.length === weights.length) return { weights: weights && [...weights], change: "none" };
  const left = kept.map((subquery) => weights[subquery] ?? 0);
  const sum = left.reduce((total, next) => total + next, 0);
  if (sum === 0) return { weights: left.map(() => 1 / left.length), change: "equal" };
  return { weights: left.map((weight) => weight / sum), change: "scaled" };
}

/** Embeddings of the query text by embedding field, and the errors of the other fields. */
interface QueryEmbeddings {
  embeddings: Map<string, Embedding>;
  failures: Map<string, EmbeddingError>;
}

/** Embeds the query text once with each embedder that the fields need, all at the same time. */
async function embedQuery(
  { embedder: load }: Pick<GatewayServices, "embedder">,
  text: string,
  { fields, stored }: { fields: ReadonlyMap<string, EmbedderName>; stored: HybridTarget["stored"] },
  deadline: Deadline,
): Promise<QueryEmbeddings> {
  const outcomeOf = async (model: EmbedderName): Promise<Embedding | EmbeddingError> => {
    try {
      return await (await load(model)).embedQuery(text, deadline);
    } catch (error) {
      if (error instanceof EmbeddingError) return error;
      return new EmbeddingError("the embedding failed", { retryable: false, cause: error });
    }
  };
  const models = [...new Set(fields.values())];
  const outcomes = new Map(await Promise.all(models.map(async (model) => [model, await outcomeOf(model)] as const)));
  const result: QueryEmbeddings = { embeddings: new Map(), failures: new Map() };
  for (const [field, embedder] of fields) {
    const outcome = outcomes.get(embedder);
    if (outcome instanceof EmbeddingError) result.failures.set(field, outcome);
    else if (outcome?.kind === "sparse" && stored.get(field) === "sparse_vector") {
      const tokens = await (await load(embedder)).byId?.(outcome.tokens);
      result.embeddings.set(field, { kind: "sparse", tokens: tokens ?? {} });
    } else if (outcome) result.embeddings.set(field, outcome);
  }
  return result;
}

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
