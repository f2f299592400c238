import type { RuleSet } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { GatewayServices } from "../gateway/services.ts";
import { namesIn } from "../resolve/expression.ts";
import { resolveTarget } from "../resolve/target.ts";
import type { RuleBook, SearchFacts } from "../rules/book.ts";
import { type Effects, effectsOf, NO_EFFECTS } from "../rules/effects.ts";

const LOST = "the search is made without rules";

const degradation = (reason: string, effect: string): Degradation => ({
  ...{ stage: "rules", target: "search_response" },
  reason,
  effect,
});

/** Properties of a search that rules are compared with, besides its indexes and the time. */
type Facts = Omit<SearchFacts, "names" | "now">;

/** The rules for a search. */
export interface SearchRules {
  /** Returns their effects on a search. */
  effectsOn(facts: Facts): Effects;
  /** Why other rules than those in use apply. Gets another entry when a rule cannot be applied. */
  degraded: readonly Degradation[];
}

const NO_RULES: SearchRules = { effectsOn: () => NO_EFFECTS, degraded: [] };

interface RulesRequest {
  requestId: string;
  deadline: Deadline;
  rule_set: RuleSet | null | undefined;
  /** The index expression, which the key may search. */
  index: string;
}

/** Returns the rules for a request. If they cannot be read or applied, there are none, and `degraded` says why. */
export async function searchRules(
  services: Pick<GatewayServices, "rules" | "api" | "catalog" | "settings">,
  { requestId, deadline, rule_set, index }: RulesRequest,
): Promise<SearchRules> {
  const { rules, api } = services;
  if (rule_set === "none" || (!rules && rule_set !== "draft")) return NO_RULES;
  if (!rules) return { ...NO_RULES, degraded: [degradation("the gateway reads no rules", LOST)] };
  const what = rule_set === "draft" ? "the draft of the rules" : "the document of rules";
  try {
    const names = searchedNames(services, index, deadline);
    const { content, failure } = await rules(rule_set ?? "current", deadline);
    const degraded = failure ? [degradation(failure.reason, "the rules are those of before")] : [];
    const found = await names;
    if (!found) degraded.push(UNRESOLVED);
    const unusable = degradation(`${what} has a rule that cannot be applied`, LOST);
    const effectsOn: SearchRules["effectsOn"] = (facts) => {
      try {
        return matched(content, { ...facts, names: found ?? namesIn(index) });
      } catch (error) {
        const message = unusable.reason;
        api.log(JSON.stringify({ level: "error", request_id: requestId, message, cause: String(error) }));
        if (!degraded.includes(unusable)) degraded.push(unusable);
        return NO_EFFECTS;
      }
    };
    return { effectsOn, degraded };
  } catch {
    return { ...NO_RULES, degraded: [degradation(`${what} cannot be read`, LOST)] };
  }
}

const UNRESOLVED = degradation("the indexes cannot be read", "rules for indexes apply by the names of the request");

/** Returns the names of the indexes of an expression; undefined if the cluster does not answer. */
const searchedNames = (...[services, index, deadline]: Parameters<typeof resolveTarget>) =>
  resolveTarget(services, index, deadline).then(
    ({ indexes }) => [...new Set(indexes.flatMap(({ names }) => names))],
    () => undefined,
  );

const matched = (book: RuleBook, facts: Omit<SearchFacts, "now">): Effects =>
  effectsOf(book.matching({ ...facts, now: Date.now() }), { hasText: facts.text != null });

/** Sends searches with the rules' changes to the query, and without them once the cluster refuses these. */
export interface RuledSearches {
  /** `full` is the body with all changes; `safe` returns the body with hidden ids only. */
  send<Body, T>(full: Body, safe: () => Body, search: (body: Body) => Promise<T>): Promise<T>;
  /** Returns why rules were left out; empty if they were not. */
  degraded(): Degradation[];
}

/** Returns the sender for the searches of one request. */
export function ruledSearches({ filters, weights, hidden }: Effects): RuledSearches {
  const canBeRefused = filters.length + weights.length + hidden.length > 0;
  let refusal: string | undefined;
  return {
    async send(full, safe, search) {
      if (!canBeRefused) return search(full);
      if (refusal !== undefined) return search(safe());
      try {
        return await search(full);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "rejected_by_cluster") throw error;
        // If the request itself is at fault, this throws the same error as without rules.
        const answer = await search(safe());
        refusal = error.message;
        return answer;
      }
    },
    degraded: () =>
      refusal === undefined
        ? []
        : [degradation(`with the filters of the rules, ${refusal}`, "hits are found without filters of rules")],
  };
}

/** Returns effects without those that a cluster may refuse. */
export const safeEffects = (effects: Effects): Effects => ({ ...effects, filters: [], weights: [], hidden: [] });
