import type { NoHits } from "../../platform/contract/search.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import { deadlineWithin } from "../../platform/resilience/deadline.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { searchFailure } from "../page/answer.ts";
import { NoPlaceForText } from "../queries/replace-text.ts";
import { plainExpression } from "../resolve/expression.ts";
import type { OtherText } from "../suggest/correct.ts";
import { suggestedFrom } from "../suggest/sources.ts";
import { holdsAny } from "../suggest/texts.ts";
import { withinToken } from "../suggest/within-token.ts";
import type { Searched } from "./reply.ts";

/** Time limit (ms) for finding another text. */
const LOOK_UP_MS = 1_000;

/** A request's members about searches without hits. */
export interface NoHitsRequest {
  index: string;
  no_hits?: NoHits | null | undefined;
}

/** Returns the action for a search without hits; undefined if there is none, or if the key may not see suggestions. */
function wanted({ indexes }: GatewaySettings, { body, caller }: JsonCall<NoHitsRequest>) {
  const suggest = indexes.find(({ index }) => index === plainExpression(body.index))?.suggest;
  const no_hits: NoHits = body.no_hits ?? suggest?.no_hits ?? "nothing";
  if (!suggest || no_hits === "nothing" || !caller.endpoints.includes("suggest")) return undefined;
  return { suggest, no_hits };
}

/**
 * Returns a search unchanged if it has hits. Otherwise adds a suggested text and, if requested, the hits of that text.
 * A failure here only adds to `degraded`.
 */
export async function withOtherText(
  { settings, cluster }: { settings: GatewaySettings; cluster: Cluster },
  call: JsonCall<NoHitsRequest>,
  first: Searched,
  searchFor: (text: string) => Promise<Searched>,
): Promise<Searched> {
  const index = plainExpression(call.body.index);
  const { userQuery: text } = first;
  const { hits, total, partial } = first.answer;
  // An incomplete search may have missed hits, and pins may be on another page.
  if (partial.length > 0 || first.degraded.some(({ stage }) => stage === "embedding")) return first;
  if (first.stages.some(({ name, added }) => name === "rules" && added > 0)) return first;
  if (text === null || text.trim() === "" || hits.length > 0 || total?.value !== 0) return first;
  const { suggest, no_hits } = wanted(settings, call) ?? {};
  if (!suggest) return first;
  const { otherTextFor } = await import("../suggest/correct.ts");
  const deadline = deadlineWithin(LOOK_UP_MS, call.deadline);
  const bounds = withinToken(suggest, suggestedFrom(suggest, settings.logging), call.caller.token?.filters);
  if (bounds.sources.length === 0) return first;
  const asked = { cluster, deadline, index, text, bounds, isNever: holdsAny(suggest.never) };
  let other: OtherText | undefined;
  try {
    other = await otherTextFor(asked);
  } catch (error) {
    return without(first, `suggestions cannot be read: ${searchFailure(error)}`, "no other text was looked for");
  }
  if (!other) return first;
  const told = { ...first, didYouMean: { ...other, is_searched: false } };
  // A suggested text comes from all documents, so whether a filtered search has hits for it is only known afterwards.
  if (no_hits !== "search" && !first.isFiltered) return told;
  let second: Searched;
  try {
    second = await searchFor(other.text);
  } catch (error) {
    const reason = error instanceof NoPlaceForText ? error.message : "the search for the other text failed";
    return without(first.isFiltered ? first : told, reason, "its hits are not shown");
  }
  const { answer } = second;
  if (no_hits === "search" && answer.hits.length > 0) return { ...second, didYouMean: { ...other, is_searched: true } };
  return !first.isFiltered || answer.total?.value ? told : first;
}

function without(found: Searched, reason: string, effect: string): Searched {
  const lost = { stage: "suggestions", target: "did_you_mean", reason, effect } as const;
  return { ...found, degraded: [...found.degraded, lost] };
}
