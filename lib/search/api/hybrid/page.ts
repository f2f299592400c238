import type { Degradation } from "../../../core/http/degradation.ts";
import { ApiError } from "../../../core/http/error.ts";
import { withMembers } from "../../../core/json/slices.ts";
import { type SearchAnswer, withHits } from "../search/answer.ts";
import type { Page } from "../search/page.ts";
import type { SearchPage } from "../search/personalize.ts";
import { withProfile } from "./support.ts";

/** What the cluster answers, as an error, to a page past the end of the fused list. Source: neural-search. */
const PAST_THE_END = "Reached end of search result";

/** Returns the pages of a fused list; one past its end is empty, where the cluster answers with an error. */
export function hybridPages(body: string, send: (body: string) => Promise<SearchAnswer>): SearchPage {
  const sendPage = (page: Page, changes: Record<string, string | undefined> = {}) =>
    send(
      withMembers(body, { ...changes, from: page.from > 0 ? String(page.from) : undefined, size: String(page.size) }),
    );

  return async (page, { aggregate }) => {
    const answer = await sendPage(page, aggregate ? {} : { aggs: undefined, aggregations: undefined }).catch(
      async (error: unknown) => {
        if (!isPastTheEnd(error)) throw error;
        const first = await sendPage({ from: 0, size: 1 });
        return { ...first, hits: [], text: withHits(first, []) };
      },
    );
    return { ...answer, text: withProfile(answer.text) };
  };
}

const isPastTheEnd = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "rejected_by_cluster" && error.message.includes(PAST_THE_END);

/** Returns the degradation of a short page when documents beyond the fused list match, or may match. */
export function depthDegradation({ hits, total, partial }: SearchAnswer, { from, size }: Page): Degradation[] {
  // A partial answer is short for another reason, which it names.
  if (hits.length >= size || partial.length > 0) return [];
  const base = { stage: "depth", target: "search_response" } as const;
  if (total === null) {
    if (hits.length > 0 || from === 0) return [];
    return [
      {
        ...base,
        reason: "the page starts past the end of the fused list, and totals are not tracked",
        effect: "it is unknown whether more documents match",
      },
    ];
  }
  if (total.relation === "eq" && total.value <= from + hits.length) return [];
  return [
    {
      ...base,
      reason: "the fused list of this query ends here: each subquery gives only so many candidates",
      effect: "documents beyond the candidates are on no page",
    },
  ];
}
