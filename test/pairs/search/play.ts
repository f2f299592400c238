import type { Cluster } from "../../fixtures/opensearch.ts";
import { compareHits, difference, type Finding, type Hit } from "../compare.ts";
import type { PairModels } from "../models.ts";
import { isOwnOrder, isTruncated, pageOf, TEXT } from "./body.ts";
import { boostedList, isBoosted } from "./boost.ts";
import { ALLOWED, type Facts, isExplainable, TOLD } from "./differences.ts";
import type { SearchRow } from "./dimensions.ts";
import { interleavedPage, isInterleaved } from "./interleave.ts";
import { type Answered, askNative, callsOf, pageIn } from "./native.ts";
import { type Made, type NativeRequest, nativeRequest } from "./oracle.ts";
import { withoutParts } from "./passages.ts";
import { personalOrder } from "./personal.ts";
import { compareRefusals } from "./refusals.ts";
import { VARIANTS } from "./request.ts";
import { isReranked, rerankedPage } from "./rerank.ts";
import { hasPlaceForText, isPinned, pinnedList, searchedText, toldRules } from "./rules.ts";
import { isVaried, variedPage } from "./variety.ts";
import { storedVector, type World } from "./world.ts";

/** The parts of a search answer that are compared. */
interface SearchResponse {
  hits: { total?: { value: number; relation: string }; max_score: number | null; hits: Hit[] };
  aggregations?: unknown;
  suggest?: unknown;
  profile?: { shards: unknown[] };
  timed_out: boolean;
  _shards: { total: number; failed: number };
}

/** What a case came to. */
export interface Outcome {
  findings: Finding[];
  /** Reasons of the differences that were met and are allowed. */
  allowed: string[];
  /** Whether the cluster and the gateway both answered. */
  isAnswered: boolean;
}

/** What the gateway's answer says besides that of the cluster. */
interface GatewayBody {
  search_response?: SearchResponse;
  experiment?: { variant: string; teams?: Array<string | null> };
  did_you_mean?: { is_searched: boolean };
  rules?: object[];
  degraded?: Array<{ stage: string; target: string }>;
}

interface Case {
  start: string;
  row: SearchRow;
  world: World;
}

/** Returns the request that a person would send to the cluster, and sends through the raw backend. */
export function nativeOf(
  { version }: Cluster,
  { row, world }: Pick<Case, "row" | "world">,
  models: PairModels,
  made: Partial<Made> = {},
): NativeRequest {
  return nativeRequest(row, world, models, { explains: isExplainable(row), ...made, version });
}

/** Compares the gateway's answer to a case with the cluster's own answer to the native request. */
export async function judge(
  cluster: Cluster,
  { start, row, world }: Case,
  models: PairModels,
  { status, text }: Answered,
): Promise<Outcome> {
  const isRaw = row.way === "raw";
  const parsed = JSON.parse(text);
  const body: GatewayBody = isRaw ? { search_response: parsed } : parsed;
  const isHybrid = row.queries !== "plain";
  const made: Made = {
    variant: body.experiment?.variant,
    explains: isExplainable(row),
    isCorrected: body.did_you_mean?.is_searched === true,
  };
  const madeBy = (changes: Partial<Made> = {}) => nativeOf(cluster, { row, world }, models, { ...made, ...changes });
  const native = madeBy();
  const ask = (request: NativeRequest) => askNative(callsOf(cluster), row, request);
  let answer = isRaw ? await ask(pageIn(row, native)) : await ask(native);
  // What the gateway adds to a search must not make it fail: a person would leave the explanation out.
  if (answer.status !== 200 && row.explain === "yes" && isHybrid && !isRaw) {
    made.explains = false;
    answer = await ask(madeBy());
  }
  // The cluster may fail on the whole list and not on a page of it, and the other way round.
  const isPage = isRaw || isTruncated(row) || (answer.status === 200) !== (status === 200);
  if (isPage && !isRaw) answer = await ask(pageIn(row, native));
  // An empty page has what the cluster says of the list without its hits.
  if (isPage && !isRaw && isPastEnd(answer)) answer = await ask({ ...native, body: { ...native.body, size: 0 } });
  const full = JSON.parse(answer.text) as SearchResponse;
  const { version } = cluster;
  const isTextPlaced = hasPlaceForText(row, world.entry !== undefined, made.variant);
  const { leftOut, passages } = native;
  const isVectorLeftOut = leftOut.length > 0;
  const facts: Facts = { row, version, isHybrid, isTextPlaced, leftOut, passages, depth: "whole" };
  if (world.hasOtherEntry && isHybrid && !isRaw) return settled(otherEntries({ status, text }), facts, true);
  if (answer.status !== 200 || status !== 200) {
    return settled(compareRefusals(answer, { status, text }, isRaw), facts, false);
  }
  const got = body.search_response as SearchResponse;
  if (got.hits.hits.length === 0) facts.passages = "none";
  const { hits, findings: parts } =
    facts.passages === "shown"
      ? withoutParts(got.hits.hits, nearnessOf(row, world, models))
      : { hits: got.hits.hits, findings: [] };
  got.hits.hits = hits;
  if (isRaw) return settled(compareAnswers(row, full, got, { isPage, window: 0, isVectorLeftOut }), facts, true);
  facts.depth = depthOf(row, full, got);
  facts.hasHits = full.hits.hits.length > 0;
  const isMixed = isInterleaved(row) && row.stored_fields === "no";
  const interleaved = isMixed && {
    others: hitsIn(await ask(madeBy({ variant: "steep" }))),
    picks: body.experiment?.teams ?? [],
  };
  const again =
    row.no_hits === "search" || (row.no_hits === "tell" && row.filter !== "none")
      ? await searchedAgain(row, madeBy({ isCorrected: true }), ask)
      : undefined;
  facts.isOtherRefused = again?.isRefused === true;
  const isTried =
    row.experiment === "interleave" ? isMixed || (isInterleaved(row) && !facts.hasHits) : row.experiment !== "none";
  const findings = [
    ...parts,
    ...difference("rules", toldRules(start, row, facts.isTextPlaced), body.rules),
    ...difference("experiment", isTried, body.experiment !== undefined),
    ...difference("did_you_mean", otherText(row, made, again), body.did_you_mean),
    ...compareAnswers(row, full, got, {
      isPage,
      isVectorLeftOut,
      window: Math.min(200, world.entry?.candidates ?? 100),
      ...(interleaved && { interleaved }),
    }),
    ...toldFindings(body.degraded ?? [], facts),
  ];
  return settled(findings, facts, true);
}

/**
 * Returns the suggested text for a mistyped one. Undefined without a total of no hits: the second template of an
 * experiment searches words of its own, which have hits.
 */
function otherText(
  row: SearchRow,
  { variant }: Made,
  again: Awaited<ReturnType<typeof searchedAgain>> | undefined,
): object | undefined {
  if (row.no_hits === "no" || row.track_total_hits === "false") return undefined;
  if (row.experiment === "templates" && variant === VARIANTS[1].name) return undefined;
  // With a filter, a text is only told if it has hits.
  if (row.filter !== "none" && !again?.total) return undefined;
  return { text: TEXT, left_out: [], is_searched: row.no_hits === "search" && again !== undefined && again.hits > 0 };
}

const hitsIn = ({ text }: Answered): Hit[] => (JSON.parse(text) as Partial<SearchResponse>).hits?.hits ?? [];

const isPastEnd = ({ status, text }: Answered): boolean =>
  status !== 200 && text.includes("Reached end of search result");

/** Returns what the cluster says to the page of another text: of one past the end, what it says to the whole list. */
async function searchedAgain(
  row: SearchRow,
  native: NativeRequest,
  ask: (request: NativeRequest) => Promise<Answered>,
) {
  const page = await ask(pageIn(row, native));
  const { status, text } = isPastEnd(page) ? await ask(native) : page;
  const total = status === 200 ? (JSON.parse(text) as SearchResponse).hits.total?.value : 0;
  return { hits: page.status === 200 ? hitsIn(page).length : 0, total, isRefused: status !== 200 };
}

/** Returns what tells how near a passage is to the text of a case: their cosine. */
function nearnessOf(row: SearchRow, { models: [model = "large"] }: World, models: PairModels) {
  const vectorOf = (text: string) => storedVector(row, models.dense(text, model));
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, one, at) => sum + one * (b[at] ?? 0), 0);
  const asked = vectorOf(searchedText(row));
  return (text: string): number => {
    const own = vectorOf(text);
    return dot(asked, own) / Math.sqrt(dot(own, own) * dot(asked, asked));
  };
}

/** Indexes whose entries differ are no target of one search. The reason names both. */
function otherEntries({ status, text }: Answered): Finding[] {
  const isTold = status === 400 && text.includes("different fields or settings") && text.includes('"path":"index"');
  return isTold
    ? []
    : [{ what: "two entries", expected: "400 with the reason", got: `${status} ${text.slice(0, 300)}` }];
}

/** Whether an answer of the cluster is a page of its list, and how many hits of the list may be moved. */
interface Shown {
  isPage: boolean;
  window: number;
  isVectorLeftOut: boolean;
  /** The list of the other variant, and which one has picked each hit. */
  interleaved?: { others: readonly Hit[]; picks: ReadonlyArray<string | null> };
}

/** Compares an answer with the whole list, or with the page of it that was asked for. */
function compareAnswers(row: SearchRow, full: SearchResponse, got: SearchResponse, shown: Shown): Finding[] {
  return [
    ...comparePages(row, full, got, shown),
    ...difference("total", full.hits.total, got.hits.total),
    ...difference("aggregations", full.aggregations, got.aggregations),
    ...difference("suggest", full.suggest, got.suggest),
    ...difference("shards", full._shards, got._shards),
    ...difference("timed_out", full.timed_out, got.timed_out),
    ...difference("profile", full.profile?.shards.length ?? 0, got.profile?.shards.length ?? 0),
  ];
}

function comparePages(row: SearchRow, full: SearchResponse, got: SearchResponse, shown: Shown): Finding[] {
  const { from, size } = pageOf(row);
  const page = { from: shown.isPage ? 0 : from, size };
  // Which hits were moved onto a page is not known without the list.
  if (isVaried(row)) return shown.isPage ? [] : variedPage(full.hits.hits, got.hits.hits, row, shown.window);
  if (isBoosted(row)) {
    return shown.isPage ? [] : compareHits(boostedList(full.hits.hits, shown.window), got.hits.hits, page);
  }
  if (isReranked(row)) return shown.isPage ? [] : rerankedPage(full.hits.hits, got.hits.hits, row);
  if (shown.interleaved) {
    const { others, picks } = shown.interleaved;
    const teams = [
      { name: "even", list: full.hits.hits },
      { name: "steep", list: others },
    ] as const;
    return shown.isPage ? [] : interleavedPage(teams, got.hits.hits, picks, row, shown.window);
  }
  if (row.ranking === "on" && !isOwnOrder(row) && page.size > 0) {
    return personalOrder(full.hits.hits, got.hits.hits, page);
  }
  if (isPinned(row) && row.stored_fields === "no") {
    return shown.isPage
      ? []
      : compareHits(pinnedList(full.hits.hits, got.hits.hits, row, shown.isVectorLeftOut), got.hits.hits, page);
  }
  return [
    ...compareHits(full.hits.hits, got.hits.hits, page),
    ...(page.size > 0 ? difference("max_score", full.hits.max_score, got.hits.max_score) : []),
  ];
}

/**
 * Returns "lacking" if a page is short because more documents match than the fused list has; "unknown" where the cluster's
 * total does not say so: it is not exact, or counts documents that the list cannot have.
 */
function depthOf(row: SearchRow, full: SearchResponse, got: SearchResponse): Facts["depth"] {
  const { from, size } = pageOf(row);
  // A page that a processor has shortened says nothing about the list.
  if (isTruncated(row) && got.hits.hits.length > 0) return "whole";
  if (row.queries === "plain" || got.hits.hits.length >= size) return "whole";
  const isCounted = row.track_total_hits === "no" && row.collapse === "no" && row.page !== "search_after";
  if (!isCounted || row.min_score === "yes") return "unknown";
  // For a page past the end the gateway knows only the total. The last page of the list already reports `depth`.
  if (got.hits.hits.length === 0 && (full.hits.total?.value ?? 0) <= from) return "unknown";
  if ((full.hits.total?.value ?? 0) <= full.hits.hits.length) return "whole";
  // A sorted list can lack a document that only one subquery finds, and that the total counts (3.6.0).
  return row.sort === "year" ? "unknown" : "lacking";
}

function toldFindings(degraded: ReadonlyArray<{ stage: string; target: string }>, facts: Facts): Finding[] {
  const expected = TOLD.filter(({ when }) => when(facts)).map(({ stage }) => stage);
  const stages = [...new Set(degraded.map(({ stage }) => stage))].filter(
    (stage) => stage !== "depth" || facts.depth !== "unknown",
  );
  const fields = degraded.flatMap(({ stage, target }) => (stage === "embedding" ? [target] : []));
  return [
    ...difference("degraded", expected.sort(), stages.sort()),
    ...difference("left out", facts.leftOut.toSorted(), [...new Set(fields)].sort()),
  ];
}

function settled(findings: readonly Finding[], facts: Facts, isAnswered: boolean): Outcome {
  const rowOf = ({ what }: Finding) => ALLOWED.find((one) => one.what.test(what) && one.when(facts));
  return {
    findings: findings.filter((finding) => !rowOf(finding)),
    allowed: [
      ...TOLD.filter(({ when }) => isAnswered && facts.row.way === "application" && when(facts)).map(
        ({ reason }) => reason,
      ),
      ...findings.flatMap((finding) => rowOf(finding)?.reason ?? []),
    ],
    isAnswered,
  };
}
