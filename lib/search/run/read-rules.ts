import type { RuleTools } from "../gateway/tools.ts";
import { namesIn } from "../resolve/expression.ts";
import { resolveTarget } from "../resolve/target.ts";
import type { RuleBook, SearchFacts } from "../rules/book.ts";
import { effectsOf } from "../rules/combined.ts";
import { type Effects, NO_EFFECTS } from "../rules/effects.ts";
import { degradation, LOST, NO_RULES, type RulesRequest, type SearchRules } from "./rules.ts";

/** Returns the rules for a request. If they cannot be read or applied, there are none, and `degraded` says why. */
export async function readRules(
  tools: RuleTools,
  { requestId, deadline, rule_set, index }: RulesRequest,
): Promise<SearchRules> {
  const { rules, api } = tools;
  if (rule_set === "none") return NO_RULES;
  if (!rules) return { ...NO_RULES, degraded: [degradation("the gateway reads no rules", LOST)] };
  const what = rule_set === "draft" ? "the draft of the rules" : "the document of rules";
  try {
    const names = searchedNames(tools, index, deadline);
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
const searchedNames = (...[resolver, index, deadline]: Parameters<typeof resolveTarget>) =>
  resolveTarget(resolver, index, deadline).then(
    ({ indexes }) => [...new Set(indexes.flatMap(({ names }) => names))],
    () => undefined,
  );

const matched = (book: RuleBook, facts: Omit<SearchFacts, "now">): Effects =>
  effectsOf(book.matching({ ...facts, now: Date.now() }), { hasText: facts.text != null });
