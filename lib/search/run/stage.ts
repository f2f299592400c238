import type { PageStage, RewriteStage } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { RerankUsage } from "../rerank/reranker.ts";
import type { Hit, SearchAnswer } from "./answer.ts";
import type { Page, SearchPage } from "./native-page.ts";

/** A hit with its JSON text, which is what the answer shows. */
export interface FoundHit {
  hit: Hit;
  text: string;
}

/** What a stage makes of the hits that it gets. */
export interface Change {
  /** The new order: places of hits in the old one, from 0, and hits that the stage adds. */
  order: ReadonlyArray<number | FoundHit>;
  /** Places of the hits that no page shall show. Each hit is either in `order` or here, once. */
  hidden?: readonly number[];
  /** New scores of the hits in `order`. */
  scores?: readonly number[];
  /** What the stage took of a model. */
  usage?: RerankUsage;
}

/** One step from the fused list to a page. It works on the window, never on a page. */
export interface Stage {
  name: PageStage;
  /** The number of best hits that it needs. A stage that only reorders gets no more; one that adds or hides gets the whole window. */
  window: number;
  /** The milliseconds that it may take. */
  budgetMs: number;
  /** Whether it only reorders the window or also adds and hides hits, which shifts all later pages. */
  effect: "reorders" | "adds or hides";
  /** What the answer lacks when the stage fails, for `degraded`. */
  lost: string;
  /** Whether an answer tells of the stage without being asked, if it changed anything. */
  told: boolean;
  /** Returns the score of a hit below the window of a stage that scores, from its rank. */
  scoreBelow?(rank: number): number;
  /** Throws {@link StageError} with the reason for callers. */
  run(hits: readonly Hit[], deadline: Deadline): Promise<Change>;
}

/** The stage that a request gets, or why it cannot have the one that it asks for; neither if it gets none. */
export interface Wanted {
  stage?: Stage;
  declined?: Degradation;
}

/** Returns the stages of a search, and those that it cannot have. */
export const stagesOf = (wanted: readonly Wanted[]): { stages: Stage[]; declined: Degradation[] } => ({
  stages: wanted.flatMap(({ stage }) => stage ?? []),
  declined: wanted.flatMap(({ declined }) => declined ?? []),
});

/** A stage failed. The message is written for callers of the API. */
export class StageError extends Error {
  override name = "StageError";
  /** What the stage took of a model all the same. */
  usage?: RerankUsage;
}

/** The place of a hit before and after a stage, from 1. */
interface Move {
  _id: string;
  from: number;
  to: number;
}

/** What one stage did to the query or the window, for the request log. */
export interface StageEffect {
  name: PageStage | RewriteStage;
  milliseconds: number;
  /** Hits of the window that changed places. */
  moved: number;
  added: number;
  hidden: number;
  /** Clauses that a stage added to the query. */
  alternatives?: number;
  failed: boolean;
  /** What it took of a model, if it calls one. */
  usage?: RerankUsage;
}

/** What one stage did in a search. */
export interface StageReport extends StageEffect {
  /** The hits of the page that the stage moved, in the order of the page. */
  moves: Move[];
  /** Words of the query, and what was searched in their place as well. */
  synonyms?: Array<{ from: string; to: string[] }>;
}

/** One page of a search, and the stages between the fused list and the page. */
export interface PageRequest {
  /** Undefined when the cluster will refuse it. */
  page: Page | undefined;
  /** In any order. Without any, the page is the cluster's own. */
  stages: readonly Stage[];
  /** Stages that the request asked for and cannot have. */
  declined: readonly Degradation[];
  /** Sends the page as the caller asked for it. */
  plain: () => Promise<SearchAnswer>;
  searchPage: SearchPage;
  /** Returns the most hits that the cluster returns. */
  maxResultWindow: () => Promise<number>;
  deadline: Deadline;
}

/** What a search came to. */
export interface Found {
  answer: SearchAnswer;
  stages: readonly StageReport[];
  /** Whether the answer tells of the stages without being asked. */
  areStagesTold: boolean;
  degraded: readonly Degradation[];
}
