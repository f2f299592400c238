import * as v from "valibot";
import { RULES_FORM, type Rule, type Rules, RulesSchema } from "../../settings/rules.ts";

/**
 * Returns the rules of a document, with the defaults of this version. Throws if it is not a document of rules. If
 * `form` is this version's, the rules are not validated again: they were when written, and validating 10,000 rules
 * takes longer than using them. If the document was edited since, using it may throw, and the search is made without
 * rules.
 */
export function parseRules(content: unknown, form?: number): readonly Rule[] {
  const { rules = [] } = form === RULES_FORM ? (content as Rules) : v.parse(RulesSchema, content);
  return rules;
}
