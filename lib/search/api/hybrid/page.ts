import type { Degradation } from "../../../core/http/degradation.ts";
import { ApiError } from "../../../core/http/error.ts";
import type { JsonCall } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { type SearchAnswer, withHits } from "../search/answer.ts";
import type { Page } from "../search/page.ts";
import type { SearchPage } from "../search/personalize.ts";
import { nativeSearch } from "../search/search.ts";

/** What the cluster answers, as an error, to a page past the end of the fused list. Source: neural-search. */
const PAST_THE_END = "Reached end of search result";

/** Pages of a fused list. A page past its end is empty, where the cluster has an error. */
export function hybridPage(
  services: GatewayServices,
  call: JsonCall<unknown>,
  index: string,
  body: string,
  time: <T>(stage: string, work: () => Promise<T>) => Promise<T>,
): SearchPage {
  const send = (page: Page, changes: Record<string, string | undefined> = {}) =>
    time("cluster", () =>
      nativeSearch(
        services,
        call,
        index,
        withMembers(body, { ...changes, from: page.from > 0 ? String(page.from) : undefined, size: String(page.size) }),
      ),
    );

  return async (page, { aggregate }) => {
    const answer = await send(page, aggregate ? {} : { aggs: undefined, aggregations: undefined }).catch(
      async (error: unknown) => {
        if (!isPastTheEnd(error)) throw error;
        const first = await send({ from: 0, size: 1 });
        return { ...first, hits: [], text: withHits(first, []) };
      },
    );
    return { ...answer, text: withProfile(answer.text) };
  };
}

const isPastTheEnd = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "rejected_by_cluster" && error.message.includes(PAST_THE_END);

/** Says so when a page is short although more documents match than the fused list is deep. */
export function depthDegradation({ hits, total }: SearchAnswer, { from, size }: Page): Degradation | undefined {
  if (hits.length >= size || total === null) return undefined;
  if (total.relation === "eq" && total.value <= from + hits.length) return undefined;
  return {
    stage: "depth",
    target: "search_response",
    reason: "the fused list of this query ends here: each subquery gives only so many candidates",
    effect: "documents beyond the candidates are on no page",
  };
}

/** truncate_hits adds an empty profile only when it cuts; the answer always has one. */
const withProfile = (text: string): string =>
  memberSlices(text).has("profile") ? text : withMembers(text, { profile: '{"shards":[]}' });
