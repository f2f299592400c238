import { Failure } from "@relevance/lib/platform/failure.ts";
import { sum } from "@relevance/lib/platform/sum.ts";
import { type LogSource, withStoredLog } from "../stored-log/stored-log.ts";
import { type ClickJudgment, clicksOverExpected, type Shown, shownAndClicked } from "./coec.ts";
import { hasClicks, type SearchedQuery } from "./failures.ts";
import type { Robots } from "./robots.ts";
import { searchedQueries } from "./searched-queries.ts";

/** Returns what people searched for, most frequent first; in one index, or in all. Throws Failure if there is nothing. */
export async function reportQueries(source: LogSource, index: string | undefined): Promise<SearchedQuery[]> {
  const queries = await withStoredLog(source, ({ log, ...period }) => searchedQueries(log, { ...period, index }));
  if (queries.length === 0) {
    const named = index === undefined ? "" : ` that named ${index}`;
    throw new Failure(`The request log has no search with a text${named} in the last ${source.days} days`);
  }
  if (!hasClicks(queries)) {
    source.note("No hit was clicked, so abandoned says nothing: send clicks to /application/events");
  }
  return queries;
}

/** Which documents are judged by clicks. */
interface ClickOptions {
  /** The index whose searches count; all indexes if absent. */
  index?: string | undefined;
  /** How often a document must have been shown for a query. */
  minImpressions: number;
}

/** Judges documents by the clicks of the stored log, and notes what the judgments rest on. Throws Failure if there are none. */
export async function judgeByClicks(
  source: LogSource,
  { index, minImpressions }: ClickOptions,
): Promise<ClickJudgment[]> {
  const { note } = source;
  const { shown, idFields, robots } = await withStoredLog(source, ({ log, ...period }) =>
    shownAndClicked(log, { ...period, index }),
  );
  noteRobots(robots, note);
  const judged = clicksOverExpected(shown, minImpressions);
  if (judged.length === 0) throw new Failure(nothingJudged(shown, source.days, minImpressions));
  const foreign = idFields.filter((field) => field !== "_id");
  if (foreign.length > 0) {
    note(`Documents are named by ${foreign.join(", ")}, as personalized_ranking.item_id_field says, not by _id`);
  }
  const queries = new Set(judged.map(({ query }) => query)).size;
  const impressions = judged.map((pair) => pair.impressions).sort((a, b) => a - b);
  const [least, median, most] = [0, 0.5, 1].map((share) => impressions[Math.floor(share * (impressions.length - 1))]);
  note(
    `${judged.length} judgments of ${queries} queries, from ${clicksOf(judged)} clicks; each from ${least} to ${most} ` +
      `impressions (median ${median})`,
  );
  note("Documents that were not shown have no judgment: `relevance evaluate` gives no verdict on much of them");
  return judged;
}

function noteRobots({ clients, searches, clicks, areMost, anonymous }: Robots, note: LogSource["note"]): void {
  if (areMost) {
    note(
      `Warning: ${clients} clients click as robots do and have most clicks (${clicks}). They are counted, since their ids ` +
        "are probably those of applications: send a client_id or user_id for each person",
    );
  } else if (clients > 0) {
    note(`Left out ${clients} clients that click as robots do, with ${searches} searches and ${clicks} clicks`);
  }
  if (anonymous > 0) note(`${anonymous} searches name no client, so that robots among them are counted`);
}

const clicksOf = (pairs: readonly { clicks: number }[]) => sum(pairs, ({ clicks }) => clicks);

function nothingJudged(shown: readonly Shown[], days: number, minImpressions: number): string {
  if (shown.length === 0) return `The request log has no search with a text in the last ${days} days`;
  if (clicksOf(shown) === 0) return `No hit was clicked in the last ${days} days: send clicks to /application/events`;
  return `No document was shown ${minImpressions} times for one query: read more --days, or lower --min-impressions`;
}
