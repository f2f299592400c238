import type { RuleSet } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Rewritten } from "../page/stage.ts";
import type { SearchFacts } from "../rules/book.ts";
import { type Effects, NO_EFFECTS } from "../rules/effects.ts";

/** Effect of failing to read the rules. */
export const LOST = "the search is made without rules";

/** Returns the degradation for rules that do not apply. */
export const degradation = (reason: string, effect: string): Degradation => ({
  ...{ stage: "rules", target: "search_response" },
  reason,
  effect,
});

/** Properties of a search that rules are compared with, besides its indexes and the time. */
export type Facts = Omit<SearchFacts, "names" | "now">;

/** The rules for a search. */
export interface SearchRules {
  /** Returns their effects on a search. */
  effectsOn(facts: Facts): Effects;
  /** Why other rules than those in use apply. Gets another entry when a rule cannot be applied. */
  degraded: readonly Degradation[];
}

/** No rules. */
export const NO_RULES: SearchRules = { effectsOn: () => NO_EFFECTS, degraded: [] };

/** The purpose of reading the rules. */
export interface RulesRequest {
  requestId: string;
  deadline: Deadline;
  rule_set: RuleSet | null | undefined;
  /** The index expression, which the key may search. */
  index: string;
}

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
const safeEffects = (effects: Effects): Effects => ({ ...effects, filters: [], weights: [], hidden: [] });

/** Changes to the query of a search. */
interface Changes<Query> {
  effects: Effects;
  ruled: RuledSearches;
  /** The query with synonyms. They are looked up after rules have replaced the text. */
  rewritten: Rewritten<Query>;
}

/** Sends a search with a body, and with fallback bodies if the cluster refuses it. */
export type Attempt = <Answer extends object>(send: (body: string) => Promise<Answer>) => Promise<Answer>;

/**
 * Returns a function that sends the searches of a query with rules and synonyms. If the cluster refuses a body, the
 * searches are sent without synonyms, then without the risky effects of rules, with synonyms first. `bodyOf` applies
 * rules to a query, so that synonyms do not change the rules' filters.
 */
export function attemptsOf<Query>(
  { effects, ruled, rewritten }: Changes<Query>,
  query: Query,
  bodyOf: (effects: Effects, query: Query) => string,
): Attempt {
  const bodiesWith = (own: Effects) => {
    const original = bodyOf(own, query);
    return { original, rewritten: rewritten.query === query ? original : bodyOf(own, rewritten.query) };
  };
  const full = bodiesWith(effects);
  const safe = () => bodiesWith(safeEffects(effects));
  return (send) => ruled.send(full, safe, (bodies) => rewritten.attempt(bodies, send));
}
