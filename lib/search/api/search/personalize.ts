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

/** Sends one page of the plain order. `aggregate: false` leaves aggregations out of a second call. */
export type SearchPage = (page: Page, options: { aggregate: boolean }) => Promise<SearchAnswer>;

/** Whether a request is re-ranked for its user. */
export type Personalization =
  /** It did not ask for it, or it would change nothing. */
  | { kind: "off" }
  /** It asked for it and cannot have it. */
  | { kind: "declined"; degraded: Degradation }
  | {
      kind: "on";
      userId: string;
      weight: number;
      /** The number of best hits that are ranked, whatever page is asked for. */
      window: number;
      itemIdField: string;
      timeoutMs: number;
      page: Page;
    };

type Ranked = Extract<Personalization, { kind: "on" }>;

/** What a search came to. */
export interface Found {
  answer: SearchAnswer;
  personalized: boolean;
  degraded: readonly Degradation[];
}

/** Options that fix the order or merge hits, so that re-ranking would contradict the caller. */
const OWN_ORDER = ["sort", "collapse", "search_after"] as const;

const inSearchOrder = (reason: string): Degradation => ({
  stage: "personalization",
  target: "search_response",
  reason,
  effect: "hits are in search order",
});

/**
 * Decides whether a request is re-ranked. Throws `invalid_request` when it asks for it and no campaign is configured.
 * `page` is undefined when the cluster will refuse it.
 */
export function personalizationOf(
  { settings }: Pick<GatewayServices, "settings">,
  { user_id, business_rules }: CommonFields,
  native: Record<string, unknown>,
  page: Page | undefined,
): Personalization {
  if (!business_rules.is_personalized_enabled) return { kind: "off" };
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
  if (weight === 0 || page === undefined || page.size === 0) return { kind: "off" };
  if (user_id === null) return { kind: "declined", degraded: inSearchOrder("the request has no user_id") };
  const order = OWN_ORDER.find((option) => native[option] !== undefined);
  if (order) return { kind: "declined", degraded: inSearchOrder(`the request has its own ${order}`) };
  const { window, item_id_field, timeout_ms } = configured;
  return { kind: "on", userId: user_id, weight, window, itemIdField: item_id_field, timeoutMs: timeout_ms, page };
}

/** Returns what was found in the cluster's own order. */
export async function plainPage(
  personalization: Exclude<Personalization, Ranked>,
  search: () => Promise<SearchAnswer>,
): Promise<Found> {
  const answer = await search();
  const declined = personalization.kind === "declined" ? [personalization.degraded] : [];
  return { answer, personalized: false, degraded: [...answer.partial, ...declined] };
}

/**
 * Returns one page of the personal order: a permutation of the window, then the plain order, so that every hit is on
 * exactly one page. `maxResultWindow` is the most hits that the cluster returns.
 */
export async function personalizedPage(
  asked: Ranked,
  maxResultWindow: number,
  searchPage: SearchPage,
  ranker: () => Promise<PersonalRanker | undefined>,
  deadline: Deadline,
): Promise<Found> {
  const how = { ...asked, window: Math.min(asked.window, maxResultWindow) };
  const { page, window, weight } = how;
  const { from, size } = page;
  if (from >= window) {
    const answer = await searchPage(page, { aggregate: true });
    const below = scoredBelow(answer, from, weight);
    return { answer: scored(answer, below), personalized: true, degraded: answer.partial };
  }
  const answer = await searchPage({ from: 0, size: window }, { aggregate: true });
  const end = from + size;
  const needsRest = end > window && answer.hits.length === window;
  const [order, rest] = await Promise.all([
    rankHits(answer.hits, how, ranker, deadline),
    needsRest ? searchPage({ from: window, size: end - window }, { aggregate: false }) : undefined,
  ]);
  const partial = [...answer.partial, ...(rest?.partial ?? [])];
  if (order.kind === "unranked") {
    const hits = [...hitTexts(answer).slice(from, end), ...(rest ? hitTexts(rest) : [])];
    return { answer: plain(answer, hits, page, rest), personalized: false, degraded: [...partial, order.degraded] };
  }
  const texts = hitTexts(answer);
  const inWindow = order.ranking.slice(from, end).map(({ hit, score }) => ({ text: texts[hit] ?? "", score }));
  const hits = [...inWindow, ...(rest ? scoredBelow(rest, window, weight) : [])];
  return { answer: scored(answer, hits), personalized: true, degraded: partial };
}

type Order = { kind: "ranked"; ranking: ReturnType<typeof blend> } | { kind: "unranked"; degraded: Degradation };

async function rankHits(
  hits: readonly Hit[],
  how: Ranked,
  ranker: () => Promise<PersonalRanker | undefined>,
  deadline: Deadline,
): Promise<Order> {
  if (hits.length === 0) return { kind: "ranked", ranking: [] };
  const ids = hits.map((hit) => itemIdOf(hit, how.itemIdField));
  const distinct = [...new Set(ids.filter((id) => id !== undefined))];
  if (distinct.length === 0) return unranked(`no hit has an item id in ${how.itemIdField}`);
  try {
    const loaded = await ranker();
    if (!loaded) throw new Error("no ranker");
    const known = await loaded(how.userId, distinct, Math.min(how.timeoutMs, deadline.remaining()));
    const rankOf = new Map(known.map((itemId, index) => [itemId, index + 1]));
    const ranks = ids.map((id) => (id === undefined ? undefined : rankOf.get(id)));
    return { kind: "ranked", ranking: blend(ranks, how.weight) };
  } catch (error) {
    return unranked(error instanceof RankingError ? error.message : "the personal ranking failed");
  }
}

const unranked = (reason: string): Order => ({ kind: "unranked", degraded: inSearchOrder(reason) });

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
