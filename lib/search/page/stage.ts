import type { PageStage, RewriteStage } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { RerankUsage } from "../rerank/reranker.ts";
import type { Hit, SearchAnswer } from "./answer.ts";
import type { Page, SearchPage } from "./native-page.ts";

/** A hit with its JSON text, which the answer contains. */
export interface FoundHit {
  hit: Hit;
  text: string;
}

/** Result of a stage for its hits. */
export interface Change {
  /** The new order: indexes of hits in the old order, from 0, and added hits. */
  order: ReadonlyArray<number | FoundHit>;
  /** Indexes of hits that no page may show. Each hit is either in `order` or here, once. */
  hidden?: readonly number[];
  /** Of the added hits, those that the search does not find and its total does not count. */
  outside?: number;
  /** How the stage scored the hits in `order`, for `explain_stages`. */
  parts?: readonly ScoreParts[];
  /** New scores of the hits in `order`. */
  scores?: readonly number[];
  /** Model usage of the stage. */
  usage?: RerankUsage;
}

/** One step from the fused list to a page. It works on the window, never on a page. */
export interface Stage {
  name: PageStage;
  /**
   * The number of best hits that it needs. A stage that only reorders gets at most these; one that adds or hides gets
   * the whole window.
   */
  window: number;
  /** Time budget in milliseconds. */
  budgetMs: number;
  /** Whether it only reorders the window or also adds and hides hits, which shifts all later pages. */
  effect: "reorders" | "adds or hides";
  /** The effect on the answer when the stage fails, for `degraded`. */
  lost: string;
  /** Whether the answer reports the stage by default if it changed anything. */
  told: boolean;
  /** Returns the score of a hit below the window of a stage that scores, from its rank. */
  scoreBelow?(rank: number): number;
  /** Throws {@link StageError} with the reason for callers. */
  run(hits: readonly Hit[], deadline: Deadline): Promise<Change>;
}

/** A stage for a request, or why it is not available although requested; neither if the stage does not apply. */
export interface StageSelection {
  stage?: Stage;
  declined?: Degradation;
}

/** Returns the stages of a search, and the requested ones that are not available. */
export const stagesOf = (wanted: readonly StageSelection[]): { stages: Stage[]; declined: Degradation[] } => ({
  stages: wanted.flatMap(({ stage }) => stage ?? []),
  declined: wanted.flatMap(({ declined }) => declined ?? []),
});

/** A stage failed. The message is written for callers of the API. */
export class StageError extends Error {
  override name = "StageError";
  /** Model usage of the failed stage. */
  usage?: RerankUsage;
}

/** The rank of a hit before and after a stage, from 1. */
interface Move {
  _id: string;
  from: number;
  to: number;
}

/** Effect of one stage on the query or the window, for the request log. */
export interface StageEffect {
  name: PageStage | RewriteStage;
  milliseconds: number;
  /** Number of hits in the window whose rank changed. */
  moved: number;
  added: number;
  /** Of the added hits, those that the total does not count; absent if there are none. */
  outside?: number;
  hidden: number;
  /** Clauses that a stage added to the query. */
  alternatives?: number;
  failed: boolean;
  /** Model usage, if the stage calls a model. */
  usage?: RerankUsage;
}

/** Components of a hit's score in a stage. */
export interface ScoreParts {
  score: number;
  /** The score of its place before as a part of the best one. */
  relevance: number;
  factors: ReadonlyArray<{ field: string; value: number; weight: number }>;
}

/** Report of one stage in a search. */
export interface StageReport extends StageEffect {
  /** The hits of the page that the stage moved, in the order of the page. */
  moves: Move[];
  /** The scores of the page's hits in the stage. Only answers to requests with `explain_stages` have them. */
  scores?: Array<{ _id: string } & ScoreParts>;
  /** Words of the query with the synonyms that were also searched. */
  synonyms?: Array<{ from: string; to: string[] }>;
}

/** One page of a search, and the stages between the fused list and the page. */
export interface PageRequest {
  /** Undefined when the cluster will refuse it. */
  page: Page | undefined;
  /** In any order. Without any, the page is the cluster's own. */
  stages: readonly Stage[];
  /** Requested stages that are not available. */
  declined: readonly Degradation[];
  /** Sends the page unchanged, without stages. */
  plain: () => Promise<SearchAnswer>;
  searchPage: SearchPage;
  /** Returns the most hits that the cluster returns. */
  maxResultWindow: () => Promise<number>;
  deadline: Deadline;
}

/** Result of a search. */
export interface PageResult {
  answer: SearchAnswer;
  stages: readonly StageReport[];
  /** Whether the answer reports the stages by default. */
  areStagesTold: boolean;
  degraded: readonly Degradation[];
}

/** A query after rewriting, and the result of the rewriting. */
export interface Rewritten<Query> {
  /** The query with synonyms, or the original query if it has none. */
  query: Query;
  /**
   * Searches with the rewritten query. If the cluster refuses it, uses the original one for the rest of the request:
   * synonyms never make a search fail. `bodies` are those of both queries.
   */
  attempt<Body, Answer extends object>(
    bodies: { rewritten: Body; original: Body },
    send: (body: Body) => Promise<Answer>,
  ): Promise<Answer>;
  /** Returns the stage's report; empty if the index has no synonyms. */
  reports(): StageReport[];
  degraded(): Degradation[];
}

/** Returns a query without rewriting. */
export const unchanged = <Query>(query: Query): Rewritten<Query> => ({
  query,
  attempt: ({ original }, send) => send(original),
  reports: () => [],
  degraded: () => [],
});
