import { PAGE_STAGES } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { type Hit, hitTexts, type SearchAnswer, withHits, withScore } from "./answer.ts";
import { type Applied, applied, identityOf, type Window } from "./apply.ts";
import type { Page, SearchPage } from "./native-page.ts";
import type { FoundHit, PageRequest, PageResult, Stage, StageEffect } from "./stage.ts";

/** Returns one page of a search that has stages. */
export async function stagedPage(request: PageRequest, page: Page): Promise<PageResult> {
  const { declined, searchPage, deadline } = request;
  const stages = request.stages.toSorted((a, b) => PAGE_STAGES.indexOf(a.name) - PAGE_STAGES.indexOf(b.name));
  const max = await request.maxResultWindow();
  const size = Math.min(max, Math.max(...stages.map(({ window }) => window)));
  const reorders = stages.every(({ effect }) => effect === "reorders");
  if (reorders && page.from >= size) return belowWindow(request, stages, page);

  const answer = await searchPage({ from: 0, size }, { aggregate: true });
  const texts = hitTexts(answer);
  const found = answer.hits.map((hit, at) => ({ hit, text: texts[at] ?? "" }));
  const isFull = found.length === size;
  const retrieve = { page, size, max, searchPage };
  // If nothing is added or hidden, the rest of the page is known before the stages have run.
  const early = reorders && isFull ? retrieveRest({ entries: found, taken: new Map() }, retrieve) : undefined;
  const [run, restEarly] = await Promise.all([runStages(stages, found, deadline), early]);
  const rest = reorders || !isFull ? restEarly : await retrieveRest(run.window, retrieve);

  const { entries, scoreBelow } = run.window;
  const start = Math.max(page.from, entries.length);
  const below = rest?.hits.map((one, at) => (scoreBelow ? { ...one, score: scoreBelow(start + at + 1) } : one)) ?? [];
  const shown: ShownHit[] = [...entries.slice(page.from, page.from + page.size), ...below];
  const isRescored = scoreBelow !== undefined || entries.some(({ score }) => score !== undefined);
  return {
    answer: isRescored ? rescored(answer, shown) : withShown(answer, shown),
    stages: run.reports.map(({ report, moves, parts }) => ({
      ...{ ...report, moves: shownOf(shown, moves) },
      ...(parts && { scores: shownOf(shown, parts) }),
    })),
    areStagesTold: run.reports.some(({ report }, at) => stages[at]?.told === true && hasChanged(report)),
    degraded: [...answer.partial, ...(rest?.partial ?? []), ...declined, ...run.degraded],
  };
}

/** A hit with its score in the answer; undefined if it keeps the cluster's. */
interface ShownHit extends FoundHit {
  score?: number;
}

/** Returns a page below the window. Stages that only reorder leave it unchanged, except for scores. */
async function belowWindow(
  { searchPage, declined }: PageRequest,
  stages: readonly Stage[],
  page: Page,
): Promise<PageResult> {
  const answer = await searchPage(page, { aggregate: true });
  const scoreBelow = stages.findLast((stage) => stage.scoreBelow)?.scoreBelow;
  const texts = hitTexts(answer);
  const shown = answer.hits.map((hit, at) => {
    const text = texts[at] ?? "";
    return scoreBelow ? { hit, text, score: scoreBelow(page.from + at + 1) } : { hit, text };
  });
  return {
    answer: scoreBelow ? rescored(answer, shown) : answer,
    stages: stages.map(({ name }) => ({
      ...{ name, milliseconds: 0, moved: 0, added: 0, hidden: 0, failed: false, moves: [] },
    })),
    areStagesTold: false,
    degraded: [...answer.partial, ...declined],
  };
}

const hasChanged = ({ moved, added, hidden }: StageEffect): boolean => moved + added + hidden > 0;

async function runStages(stages: readonly Stage[], found: readonly FoundHit[], deadline: Deadline) {
  let window: Window = { entries: found, taken: new Map() };
  const reports: Array<Pick<Applied, "report" | "moves" | "parts">> = [];
  const degraded: Degradation[] = [];
  for (const stage of stages) {
    const { failure, window: after, ...reported } = await applied(stage, window, deadline);
    window = after;
    reports.push(reported);
    if (failure === undefined) continue;
    degraded.push({ stage: stage.name, target: "search_response", reason: failure, effect: stage.lost });
  }
  return { window, reports, degraded };
}

interface Retrieve {
  page: Page;
  /** The size of the window. */
  size: number;
  max: number;
  searchPage: SearchPage;
}

/**
 * Returns the hits of a page that follow a full window: the cluster's list from the end of the window on, without hits
 * that a stage has added to the window. Undefined if the page ends in the window.
 */
async function retrieveRest(
  { entries, taken }: Window,
  { page: { from, size }, size: window, max, searchPage }: Retrieve,
): Promise<{ hits: FoundHit[]; partial: readonly Degradation[] } | undefined> {
  const end = from + size;
  if (end <= entries.length) return undefined;
  const added = [...taken.values()].filter((what) => what === "added").length;
  const skipped = Math.max(0, from - entries.length);
  const wanted = end - entries.length - skipped;
  // The number of added hits between the window and the page is only known from the hits between them.
  const start = added > 0 ? 0 : skipped;
  const most = end > max ? Number.POSITIVE_INFINITY : max - window - start;
  const asked = { from: window + start, size: Math.min(skipped - start + wanted + added, most) };
  if (asked.size <= 0) return undefined;
  const answer = await searchPage(asked, { aggregate: false });
  const texts = hitTexts(answer);
  const hits = answer.hits
    .map((hit, at) => ({ hit, text: texts[at] ?? "" }))
    .filter(({ hit }) => taken.size === 0 || !taken.has(identityOf(hit)));
  return { hits: hits.slice(skipped - start, skipped - start + wanted), partial: answer.partial };
}

function withShown(answer: SearchAnswer, shown: readonly ShownHit[]): SearchAnswer {
  const texts = shown.map(({ text }) => text);
  return { ...answer, text: withHits(answer, texts), hits: shown.map(({ hit }) => hit) };
}

/** Returns an answer with the given hits and their new scores, the highest of which becomes `max_score`. */
function rescored(answer: SearchAnswer, shown: readonly ShownHit[]): SearchAnswer {
  const texts = shown.map(({ text, score }) => (score === undefined ? text : withScore(text, score)));
  const hits = shown.map(({ hit, score }): Hit => (score === undefined ? hit : { ...hit, _score: score }));
  const highest = hits.reduce<number | null>((max, { _score }) => Math.max(max ?? _score ?? 0, _score ?? 0), null);
  return { ...answer, text: withHits(answer, texts, highest), hits };
}

const shownOf = <Said extends object>(shown: readonly FoundHit[], said: ReadonlyMap<Hit, Said>) =>
  shown.flatMap(({ hit }) => {
    const own = said.get(hit);
    return own ? [{ _id: hit._id, ...own }] : [];
  });
