import { htmlPage, told } from "../../plots/page.ts";
import type { SubqueryPlace } from "../../whereabouts/subquery-places.ts";
import { shownRank } from "../../whereabouts/subquery-places.ts";
import { shownScore } from "./document.ts";

interface ComparedHit {
  id: string;
  title: string;
  /** Text below the title. */
  below: string;
  score: number | null;
  /** Its place in each subquery; undefined if nobody knows. */
  places: readonly (SubqueryPlace | null)[] | undefined;
  isOnlyHere: boolean;
}

/** One column of Search. */
interface ComparedColumn {
  title: string;
  /** How the subqueries are combined; empty for a single subquery. */
  settings: string;
  total: string;
  /** Parts missing from the answer. */
  degraded: readonly string[];
  isFailed: boolean;
  hits: readonly ComparedHit[];
}

export interface Comparison {
  query: string;
  index: string;
  /** Whether the search was made for a user, who is not named. */
  isForUser: boolean;
  when: Date;
  /** Names of the subqueries. */
  subqueries: readonly string[];
  columns: readonly ComparedColumn[];
}

/** Returns the columns of Search as a page of HTML without scripts. It names neither the gateway nor the user. */
export function comparisonHtml({ query, index, isForUser, when, subqueries, columns }: Comparison): string {
  const column = ({ title, settings, total, degraded, isFailed, hits }: ComparedColumn) =>
    [
      `<section><h2>${told(title)}</h2>`,
      ...(settings === "" ? [] : [`<p>${told(settings)}</p>`]),
      ...degraded.map((text) => `<p><strong>degraded:</strong> ${told(text)}</p>`),
      isFailed
        ? "<p>This search failed.</p>"
        : hits.length === 0
          ? "<p>No hits.</p>"
          : `<ol>${hits.map(hit).join("\n")}</ol>`,
      ...(total === "" ? [] : [`<p>${told(total)}</p>`]),
      "</section>",
    ].join("\n");
  const hit = ({ id, title, below, score, places, isOnlyHere }: ComparedHit) => {
    const ranks = places?.map((place, at) => `${subqueries[at]} ${place ? shownRank(place) : "–"}`) ?? [];
    const facts = [
      ...(title === id ? [] : [id]),
      ...(score === null ? [] : [`score ${shownScore(score)}`]),
      ...(subqueries.length > 1 ? ranks : []),
      ...(isOnlyHere ? ["only here"] : []),
    ];
    return (
      `<li><strong dir="auto">${told(title)}</strong>` +
      `${below === "" ? "" : `<br><span dir="auto">${told(below)}</span>`}<small>${told(facts.join(" · "))}</small></li>`
    );
  };
  return htmlPage(`Search for “${query}” in ${index}`, [
    `<p>${when.toISOString().slice(0, 16).replace("T", " ")} UTC${isForUser ? ", for a user" : ""}. Beside the names of the ` +
      "subqueries stands the rank of a hit in each: = is shared by hits of equal score, – is not among its candidates.</p>",
    `<div class="columns">${columns.map(column).join("\n")}</div>`,
  ]);
}
