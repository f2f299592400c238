import type { Degradation } from "../../../core/http/degradation.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import { type Deadline, earlier } from "../../../core/resilience/deadline.ts";
import { EmbeddingError } from "../../embeddings/embedder.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { pageOf } from "../search/page.ts";
import type { Stopwatch } from "../search/stopwatch.ts";
import { embedQuery } from "./embed.ts";
import { planLegs } from "./plan.ts";
import { versionIssues } from "./support.ts";
import type { HybridTarget } from "./target.ts";
import type { Template } from "./template.ts";
import { readLegs, replaceTokens } from "./tokens.ts";

/** What the subqueries of a hybrid search are made from. */
interface Asked {
  /** The text to embed. */
  query: string;
  weights: readonly number[] | null;
  deadline: Deadline;
}

/** The subqueries that can run, their weights, and those that cannot. */
interface RunnableQueries {
  queries: unknown[];
  weights: number[] | null;
  degraded: Degradation[];
}

/** Returns the subqueries that can run with embeddings in place of their tokens, and the weights that belong to them. */
export async function runnableQueries(
  services: GatewayServices,
  { query, weights: asked, deadline }: Asked,
  template: Template,
  { embedding_mappings, onFailure, embedders, unfit, can }: HybridTarget,
  watch: Stopwatch,
): Promise<RunnableQueries> {
  const path = "search_request_template.query.hybrid.queries";
  const { legs, issues } = readLegs(template.queries, embedding_mappings, path);
  const problems = [...issues, ...versionIssues(can, pageOf(template.native)?.from ?? 0)];
  if (problems.length > 0) throw invalidRequest(problems);

  const used = new Map([...embedders].filter(([field]) => legs.some(({ fields }) => fields.has(field))));
  // A model that does not answer must leave time for the search by the other legs.
  const half = earlier(deadline, deadline.remaining() / 2);
  const embedded = await watch.time("embedding", () => embedQuery(services, query, used, half));
  for (const [field, reason] of unfit) embedded.failures.set(field, new EmbeddingError(reason, { retryable: false }));
  const { kept, weights, degraded } = planLegs(legs, embedded, asked, onFailure);
  const { embeddings } = embedded;
  const queries = kept.map((leg) => replaceTokens(template.queries[leg], { embeddings, queryTokens: can.queryTokens }));
  return { queries, weights, degraded };
}
