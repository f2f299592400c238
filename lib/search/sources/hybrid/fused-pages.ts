import type { Degradation } from "../../../platform/http/degradation.ts";
import { ApiError } from "../../../platform/http/error.ts";
import { memberSlices, withMembers } from "../../../platform/json/slices.ts";
import { isObject } from "../../../platform/json/values.ts";
import type { Capabilities } from "../../opensearch/capabilities.ts";
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

type Native = Readonly<Record<string, unknown>>;

/** Inputs for degradations of a hybrid page, besides its answer. */
interface PageFacts {
  page: Page;
  /** Candidates of each subquery on each shard. */
  depth: number | undefined;
  native: Native;
}

/** Returns the degradation of a short page when documents beyond the fused list match, or may match. */
export function depthDegradation(
  { hits, total, partial }: SearchAnswer,
  { page: { from, size }, depth, native }: PageFacts,
): Degradation[] {
  // A partial answer is short for a reason that it already reports.
  if (hits.length >= size || partial.some(({ stage }) => stage !== "totals")) return [];
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
  // If no more documents match than a subquery returns, the list has all of them, whatever shortens the page.
  if (total.relation === "eq" && total.value <= Math.max(from + hits.length, depth ?? 0)) return [];
  // With `collapse`, a hit stands for several matches; with `search_after`, matches before the cursor count too.
  const isUnknown = isObject(native.collapse) || Array.isArray(native.search_after);
  return [
    {
      ...base,
      reason: "the fused list of this query ends here: each subquery gives only so many candidates",
      effect: isUnknown
        ? "it is unknown whether documents beyond the candidates belong here"
        : "documents beyond the candidates are on no page",
    },
  ];
}

/** Returns degradations for requested features that the cluster's version ignores or gets wrong. */
export function versionDegradations(
  native: Native,
  can: Capabilities,
  { isExplained }: { isExplained: boolean },
): Degradation[] {
  const degraded: Degradation[] = [];
  const add = (stage: "profile" | "explanation" | "collapse", member: string, reason: string, effect: string) =>
    degraded.push({ stage, target: `search_request_template.${member}`, reason, effect });
  if (native.profile === true && !can.hybridProfile) {
    add("profile", "profile", `OpenSearch ${can.version} cannot profile a hybrid query; 3.6 can`, "profile is empty");
  }
  if (native.explain === true && !isExplained) {
    add(
      "explanation",
      "explain",
      `OpenSearch ${can.version} cannot explain the fused score of ${can.scoreExplanation ? "an index with nested fields, through a filter, beside rescore, or on a page with from" : "a hybrid query"}`,
      "_explanation has the subqueries' own scores",
    );
  }
  if (isObject(native.collapse) && !can.hybridCollapse) {
    add(
      "collapse",
      "collapse",
      `OpenSearch ${can.version} does not collapse the hits of a hybrid query; 3.1 does`,
      "several hits have the same value",
    );
  }
  return degraded;
}
