import { filtersOf } from "@relevance/lib/search/queries/passing.ts";
import type { CandidatesAnswer, Hit as ClientHit, SearchAnswer } from "../../clients/typescript/src/types.ts";
import type { GatewayCall } from "../evaluation/settings-file.ts";
import {
  candidatesCall,
  firstHits,
  nativeOf,
  subqueriesOf,
  vectorField,
  withFilter,
  withoutStages,
} from "./requests.ts";
import { candidatesIn, placesOf, shownRank } from "./subquery-places.ts";

/** One step of a search, and where it has the document. */
export interface Step {
  name: string;
  /** Its rank, with `=` before one that several share; null if the step does not have it. */
  rank: string | null;
  /** Why it is there and not higher, in a sentence; empty if there is no more to say. */
  why: string;
}

/** Calls the gateway. Throws an error in the gateway's words. */
export type Ask = (call: { path: string; body: object }) => Promise<unknown>;

interface FollowedDocument {
  call: GatewayCall;
  document: string;
  /** Display name of each subquery of a hybrid search. */
  names?: readonly string[];
}

type Hit = ClientHit<unknown>;
type Answer = SearchAnswer<unknown>;

/** How many hits are looked through: all that are easily had, or as many as the key and the index allow. */
const DEPTHS = [1_000, 100, 10];
/** The same where stages run, which read no more. */
const STAGED = [200, 100, 10];

/**
 * Follows a document through a search: its rank in each subquery, in the fused list, behind each later stage, and on the
 * page, each with why it is not higher. It uses no other endpoints than the search itself and its candidates.
 */
export async function whereIs(ask: Ask, asked: FollowedDocument): Promise<Step[]> {
  const { call, document } = asked;
  const found = subqueriesOf(call) ? await inSubqueries(ask, asked).catch(unknown) : await inPlain(ask, asked);
  const own = await listed(ask, withoutStages(call), DEPTHS);
  const all = await listed(ask, { ...call, body: { ...call.body, explain_stages: true } }, STAGED);
  const isKnown = found.isThere || [own, all].some(({ hits }) => rankIn(hits, document) > 0);
  if (!isKnown && !(await exists(ask, call, document))) {
    const why = "No document has this id in the index, or the key may not see it.";
    return [{ name: "index", rank: null, why }];
  }
  return [...found.steps, listStep(asked, own.hits, found), ...laterSteps(document, own.hits, all)];
}

/** Ranks of a document in the subqueries. */
interface SubqueryRanks {
  steps: Step[];
  /** Whether a subquery matches it. */
  isThere: boolean;
  /** Names of those that have it among their candidates, and of those that do not. */
  by: string[];
  notBy: string[];
}

/** Partial result if the candidates cannot be read, such as for several indexes. */
const unknown = ({ message }: Error): SubqueryRanks => ({
  steps: [{ name: "subqueries", rank: null, why: message }],
  ...{ isThere: true, by: ["some subquery"], notBy: [] },
});

async function inSubqueries(ask: Ask, { call, document, names }: FollowedDocument): Promise<SubqueryRanks> {
  const queries = subqueriesOf(call) ?? [];
  const found: SubqueryRanks = { steps: [], isThere: false, by: [], notBy: [] };
  const subqueries = await subqueryHits(ask, candidatesCall(call, queries));
  const only = { ids: { values: [document] } };
  const alone = await subqueryHits(
    ask,
    candidatesCall(
      call,
      queries.map((query) => withFilter(query, only)),
      1,
    ),
  );
  const places = placesOf({ subqueries }).get(document);
  for (const [subquery, query] of queries.entries()) {
    const name = names?.[subquery] ?? `subquery ${subquery + 1}`;
    const hits = (subqueries[subquery] ?? []).flat().sort((a, b) => b.score - a.score);
    const place = places?.[subquery];
    (place ? found.by : found.notBy).push(name);
    if (place) {
      const first = place.rank > 1 ? ` The first has ${scoreText(hits[0]?.score)}.` : "";
      const why = `One of ${hits.length} candidates, with score ${scoreText(place.score)}.${first}`;
      found.steps.push({ name, rank: shownRank(place), why });
      found.isThere = true;
      continue;
    }
    const score = alone[subquery]?.flat().find(({ id }) => id === document)?.score;
    found.isThere ||= score !== undefined;
    const why =
      score === undefined
        ? await whyUnmatched(query, (filters) => passed(ask, call, document, filters))
        : `Matches with score ${scoreText(score)}, beyond the candidates: the last of ${hits.length} has ${scoreText(hits.at(-1)?.score)}. ` +
          (vectorField(query) === undefined
            ? "More candidates would have it."
            : "A larger k and more candidates would have it.");
    found.steps.push({ name, rank: null, why });
  }
  return found;
}

/** The query of a plain search as its only subquery, whose rank is that of the list. */
async function inPlain(ask: Ask, { call, document }: FollowedDocument): Promise<SubqueryRanks> {
  const { query = { match_all: {} } } = nativeOf(call) as { query?: Record<string, unknown> };
  const score = await scoreOf(ask, call, withFilter(query, { ids: { values: [document] } }), document);
  if (score !== undefined) return { steps: [], isThere: true, by: ["the query"], notBy: [] };
  const why = await whyUnmatched(query, (filters) => passed(ask, call, document, filters));
  return { steps: [{ name: "query", rank: null, why }], isThere: false, by: [], notBy: ["the query"] };
}

/** Returns why a query does not match a document; `passes` tells which of some filters it passes. */
async function whyUnmatched(
  query: Record<string, unknown>,
  passes: (filters: readonly unknown[]) => Promise<boolean[]>,
): Promise<string> {
  const filters = filtersOf(query);
  const kept = filters.length === 0 ? [] : await passes(filters);
  const failed = filters.filter((_, at) => kept[at] === false);
  if (failed.length > 0) return `Filtered out by ${failed.map((filter) => JSON.stringify(filter)).join(" and ")}.`;
  const field = vectorField(query);
  return field === undefined
    ? "Does not match: no part of the query finds it."
    : `Has no vector in ${field}, or is filtered out.`;
}

/** Where the list of the cluster has the document, before rules and later stages. */
function listStep({ call, document }: FollowedDocument, hits: readonly Hit[], { by, notBy }: SubqueryRanks): Step {
  const isHybrid = subqueriesOf(call) !== undefined;
  const name = isHybrid ? "fused list" : "list";
  const rank = rankIn(hits, document);
  if (rank === 0) return { name, rank: null, why: whyUnlisted(nativeOf(call), hits, by) };
  const [first, own] = [hits[0]?._score ?? undefined, hits[rank - 1]?._score ?? undefined];
  const scores =
    own === undefined ? "" : `Score ${scoreText(own)}${rank > 1 ? `; the first has ${scoreText(first)}` : ""}.`;
  const missed = isHybrid && notBy.length > 0 ? ` Nothing comes from ${notBy.join(" and ")}.` : "";
  return { name, rank: String(rank), why: scores + missed };
}

function whyUnlisted(native: Readonly<Record<string, unknown>>, hits: readonly Hit[], by: readonly string[]): string {
  if (by.length === 0) return "No subquery has it among its candidates.";
  const own = ["post_filter", "min_score", "collapse", "rescore"].filter((member) => native[member] !== undefined);
  const cause = own.length > 0 ? ` The request's own ${own.join(" and ")} may leave it out.` : "";
  return `Not among the first ${hits.length} hits.${cause}`;
}

type StageScores = NonNullable<NonNullable<SearchAnswer["stages"]>[number]["scores"]>;

/** Returns the score of a hit in a stage, and what it is made of, in a sentence. */
function partsText({ score, relevance, factors }: Omit<StageScores[number], "_id">): string {
  const parts = factors.map(({ field, value, weight }) => `${field} ${scoreText(value)} × ${weight}`);
  return `Score ${scoreText(score)} of relevance ${scoreText(relevance)} and ${parts.join(", ")}.`;
}

/** The document's rank after rules and each later stage, and its final rank. */
function laterSteps(document: string, own: readonly Hit[], { hits, answer }: Listed): Step[] {
  const steps: Step[] = [];
  const rules = (answer.rules ?? []).map(({ name }) => name).join(", ");
  const shown = rankIn(hits, document);
  const moves = (answer.stages ?? []).flatMap(({ name, moves: all, failed, scores = [] }) => {
    const move = all.find(({ _id }) => _id === document);
    const scored = scores.find(({ _id }) => _id === document);
    return move || scored || failed ? [{ name, failed, scored, ...move }] : [];
  });
  const before = rankIn(own, document);
  const start = moves.find(({ from }) => from !== undefined)?.from ?? shown;
  const isPinned = before === 0 && shown > 0 && rules !== "";
  if (rules !== "" && start !== before && !(shown === 0 && before > hits.length)) {
    const why =
      shown === 0
        ? `Left out: hidden or filtered out by one of the rules that apply (${rules}).`
        : isPinned
          ? `Put there by one of the rules that apply (${rules}).`
          : `The rules that apply (${rules}) change the query or its text, or pin it.`;
    steps.push({ name: "rules", rank: shown === 0 ? null : String(start), why });
  }
  for (const { name, failed, from, to, scored } of moves) {
    const why = failed
      ? "Failed, so the order before it stays."
      : [from === undefined ? "Not moved." : `Moved from ${from} to ${to}.`, ...(scored ? [partsText(scored)] : [])];
    steps.push({ name, rank: to === undefined ? null : String(to), why: [why].flat().join(" ") });
  }
  if (shown > 0) return [...steps, { name: "answer", rank: String(shown), why: "" }];
  const isBelow = before > hits.length && hits.length > 0;
  const why = isBelow
    ? `Below the first ${hits.length}, which later stages see; its place there is that of the list.`
    : "Not in the answer.";
  return [...steps, { name: "answer", rank: isBelow ? String(before) : null, why }];
}

/** The first hits of a search, and its answer. */
interface Listed {
  hits: readonly Hit[];
  answer: Answer;
}

/** Reads the first hits: fewer where a key or an index allows no more. */
async function listed(ask: Ask, call: GatewayCall, [size = 10, ...smaller]: readonly number[]): Promise<Listed> {
  try {
    const answer = (await ask(firstHits(call, size))) as Answer;
    return { hits: answer.search_response.hits.hits, answer };
  } catch (error) {
    if (smaller.length > 0) return listed(ask, call, smaller);
    throw error;
  }
}

/** The rank of a document among hits, from 1; 0 if it is not among them. */
const rankIn = (hits: readonly Hit[], document: string): number => hits.findIndex(({ _id }) => _id === document) + 1;

const subqueryHits = async (ask: Ask, call: { path: string; body: object }) =>
  candidatesIn((await ask(call)) as CandidatesAnswer).subqueries;

/** Returns the score of a document in the answer to a query; undefined if it does not match. */
async function scoreOf(ask: Ask, call: GatewayCall, query: unknown, document: string): Promise<number | undefined> {
  if (subqueriesOf(call) !== undefined) {
    const [hits = []] = await subqueryHits(ask, candidatesCall(call, [query], 1));
    return hits.flat().find(({ id }) => id === document)?.score;
  }
  const { index } = call.body;
  const body = { index, is_logging_enable: false, rule_set: "none", search_request: { size: 1, query } };
  const { search_response } = (await ask({ path: call.path, body })) as Answer;
  return search_response.hits.hits.find(({ _id }) => _id === document)?._score ?? undefined;
}

/** Returns which filters a document passes. */
const passed = (ask: Ask, call: GatewayCall, document: string, filters: readonly unknown[]): Promise<boolean[]> =>
  Promise.all(
    filters.map(async (filter) => {
      const query = { bool: { filter: [{ ids: { values: [document] } }, filter] } };
      return (await scoreOf(ask, call, query, document)) !== undefined;
    }),
  );

const exists = async (ask: Ask, call: GatewayCall, document: string): Promise<boolean> =>
  (await scoreOf(ask, call, { ids: { values: [document] } }, document)) !== undefined;

const scoreText = (score: number | undefined): string =>
  score === undefined ? "none" : String(Number(score.toPrecision(4)));
