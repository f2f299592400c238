import type { Degradation } from "../../../core/http/degradation.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import type { Deadline } from "../../../core/resilience/deadline.ts";
import { blend, scoreBelowWindow } from "../../../personalize/ranking/blend.ts";
import { type PersonalRanker, RankingError } from "../../../personalize/runtime/ranker.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { type Hit, hitTexts, type SearchAnswer, withHits, withScore } from "./answer.ts";
import { itemIdOf } from "./item-id.ts";
import type { Page } from "./page.ts";
import type { CommonFields } from "./request.ts";

/** One page of the plain order. `aggregate: false` leaves aggregations out of a second call. */
export type SearchPage = (page: Page, options: { aggregate: boolean }) => Promise<SearchAnswer>;

/** How a request is to be re-ranked. */
export interface Personalization {
  userId: string;
  weight: number;
  /** Hits that take part, whatever page is asked for. */
  window: number;
  itemIdField: string;
  timeoutMs: number;
}

export interface PersonalizedAnswer {
  answer: SearchAnswer;
  personalized: boolean;
  degraded: Degradation[];
}

/** Options that fix the order or merge hits, so that re-ranking would contradict the caller. */
const OWN_ORDER = ["sort", "collapse", "search_after"] as const;

const inSearchOrder = (reason: string): Degradation => ({
  stage: "personalization",
  target: "search_response",
  reason,
  effect: "hits are in search order",
});

/** Decides whether a request is re-ranked; a degradation when it asked for it and cannot be. */
export function personalizationOf(
  { settings }: Pick<GatewayServices, "settings">,
  { user_id, business_rules }: CommonFields,
  native: Record<string, unknown>,
  page: Page | undefined,
): Personalization | Degradation | undefined {
  if (!business_rules.is_personalized_enabled) return undefined;
  const configured = settings.personalized_ranking;
  if (!configured) {
    throw invalidRequest([
      {
        path: "business_rules.is_personalized_enabled",
        message: "cannot be true: no campaign is configured (personalized_ranking.campaign_arn in api.yaml)",
      },
    ]);
  }
  const weight = business_rules.personalization_weight ?? configured.weight;
  if (weight === 0 || page === undefined || page.size === 0) return undefined;
  if (user_id === null) return inSearchOrder("the request has no user_id");
  const order = OWN_ORDER.find((option) => native[option] !== undefined);
  if (order) return inSearchOrder(`the request has its own ${order}`);
  const { window, item_id_field, timeout_ms } = configured;
  return { userId: user_id, weight, window, itemIdField: item_id_field, timeoutMs: timeout_ms };
}

/** One page of the personal order: a permutation of the window, then plain order. Every hit is on exactly one page. */
export async function personalizedPage(
  searchPage: SearchPage,
  page: Page,
  how: Personalization,
  ranker: () => Promise<PersonalRanker | undefined>,
  deadline: Deadline,
): Promise<PersonalizedAnswer> {
  const { from, size } = page;
  if (from >= how.window) {
    const answer = await searchPage(page, { aggregate: true });
    return { answer: scored(answer, scoredBelow(answer, from, how.weight)), personalized: true, degraded: [] };
  }
  const answer = await searchPage({ from: 0, size: how.window }, { aggregate: true });
  const end = from + size;
  const needsRest = end > how.window && answer.hits.length === how.window;
  const restPage = { from: how.window, size: end - how.window };
  const [order, rest] = await Promise.all([
    rankHits(answer.hits, how, ranker, deadline),
    needsRest ? searchPage(restPage, { aggregate: false }) : undefined,
  ]);
  const texts = hitTexts(answer);
  if ("reason" in order) {
    const hits = [...texts.slice(from, end), ...(rest ? hitTexts(rest) : [])];
    return { answer: plain(answer, hits, page, rest), personalized: false, degraded: [order] };
  }
  const inWindow = order.ranking.slice(from, end).map(({ hit, score }) => ({ text: texts[hit] ?? "", score }));
  const hits = [...inWindow, ...(rest ? scoredBelow(rest, how.window, how.weight) : [])];
  return { answer: scored(answer, hits), personalized: true, degraded: [] };
}

async function rankHits(
  hits: readonly Hit[],
  how: Personalization,
  ranker: () => Promise<PersonalRanker | undefined>,
  deadline: Deadline,
): Promise<{ ranking: ReturnType<typeof blend> } | Degradation> {
  if (hits.length === 0) return { ranking: [] };
  const ids = hits.map((hit) => itemIdOf(hit, how.itemIdField));
  const distinct = [...new Set(ids.filter((id) => id !== undefined))];
  if (distinct.length === 0) return inSearchOrder(`no hit has an item id in ${how.itemIdField}`);
  try {
    const loaded = await ranker();
    if (!loaded) throw new Error("no ranker");
    const known = await loaded(how.userId, distinct, Math.min(how.timeoutMs, deadline.remaining()));
    const rankOf = new Map(known.map((itemId, index) => [itemId, index + 1]));
    const ranks = ids.map((id) => (id === undefined ? undefined : rankOf.get(id)));
    return { ranking: blend(ranks, how.weight) };
  } catch (error) {
    return inSearchOrder(error instanceof RankingError ? error.message : "the personal ranking failed");
  }
}

interface ScoredHit {
  text: string;
  score: number;
}

function scoredBelow(answer: SearchAnswer, from: number, weight: number): ScoredHit[] {
  return hitTexts(answer).map((text, index) => ({ text, score: scoreBelowWindow(from + index + 1, weight) }));
}

function scored(answer: SearchAnswer, hits: readonly ScoredHit[]): SearchAnswer {
  const texts = hits.map(({ text, score }) => withScore(text, score));
  return { ...answer, text: withHits(answer, texts, hits[0]?.score ?? null), hits: texts.map(parseHit) };
}

function plain(
  answer: SearchAnswer,
  texts: readonly string[],
  page: Page,
  rest: SearchAnswer | undefined,
): SearchAnswer {
  const hits = [...answer.hits.slice(page.from, page.from + page.size), ...(rest?.hits ?? [])];
  return { ...answer, text: withHits(answer, texts), hits };
}

const parseHit = (text: string): Hit => JSON.parse(text) as Hit;
