import * as v from "valibot";
import { RULES_FORM, type Rule, type Rules, RulesSchema } from "../../settings/rules.ts";

/**
 * Returns the rules of a document, with the defaults of this version. Throws if it is not one of rules. One whose form is that
 * of this version was checked when it was written: 10,000 rules take longer to check than to use. If somebody changed it since
 * then, using it may throw, and the search is made without rules.
 */
export function parseRules(content: unknown, form?: number): readonly Rule[] {
  const { rules = [] } = form === RULES_FORM ? (content as Rules) : v.parse(RulesSchema, content);
  return rules;
}
