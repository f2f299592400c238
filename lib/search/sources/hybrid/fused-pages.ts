import { ApiError } from "../../../platform/http/error.ts";
import { memberSlices, withMembers } from "../../../platform/json/slices.ts";
import { type SearchAnswer, withHits } from "../../page/answer.ts";
import type { Page, SearchPage } from "../../page/native-page.ts";

/** The cluster's error for a page past the end of the fused list. Source: neural-search. */
const PAST_THE_END = "Reached end of search result";

/** Returns the pages of a fused list. A page past its end is empty, where the cluster returns an error. */
export function fusedPages(body: string, send: (body: string) => Promise<SearchAnswer>): SearchPage {
  const sendPage = (page: Page, changes: Record<string, string | undefined> = {}) =>
    send(
      withMembers(body, { ...changes, from: page.from > 0 ? String(page.from) : undefined, size: String(page.size) }),
    );

  return async (page, { aggregate }) => {
    const answer = await sendPage(page, aggregate ? {} : { aggs: undefined, aggregations: undefined }).catch(
      async (error: unknown) => {
        if (!isPastTheEnd(error)) throw error;
        // `size: 0`, because OpenSearch 3.6 fails to collapse if `min_score` leaves a shard without hits.
        const first = await sendPage({ from: 0, size: 0 });
        return { ...first, hits: [], text: withHits(first, []) };
      },
    );
    return { ...answer, text: withProfile(answer.text) };
  };
}

const isPastTheEnd = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "rejected_by_cluster" && error.message.includes(PAST_THE_END);

/** Returns an answer with a profile: `truncate_hits` adds an empty one only when it cuts, and answers always have one. */
const withProfile = (text: string): string =>
  memberSlices(text).has("profile") ? text : withMembers(text, { profile: '{"shards":[]}' });
