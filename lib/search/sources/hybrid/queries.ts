import type { OnEmbeddingFailure } from "../../../platform/contract/search.ts";
import type { Degradation } from "../../../platform/http/degradation.ts";
import { ApiError } from "../../../platform/http/error.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import { type Deadline, earlier } from "../../../platform/resilience/deadline.ts";
import { type EmbedderName, type Embedding, EmbeddingError } from "../../embeddings/embedder.ts";
import type { SourceTools } from "../../gateway/tools.ts";
import type { Stopwatch } from "../../run/reply.ts";
import { highlighted } from "./best-passages.ts";
import { type HybridTarget, versionIssues } from "./target.ts";
import type { Template } from "./template.ts";
import { readSubqueries, replaceTokens, type Subquery } from "./tokens.ts";

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
  embedder: SourceTools["embedder"],
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
  const embedded = await watch.time("embedding", () => embedQuery(embedder, query, { fields: used, stored }, half));
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
  load: SourceTools["embedder"],
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
