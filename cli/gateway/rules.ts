import { RULES_FORM, type Rule } from "../../lib/config/rules.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { parseRules } from "../../lib/search/rules/document.ts";
import { RULES } from "../../lib/search/rules/name.ts";
import { indexedText } from "../../lib/search/rules/text.ts";
import { confOf } from "../command.ts";
import { listKind, namedDocument } from "../documents.ts";
import { UsageError } from "../errors.ts";
import { openAccount } from "../recommendation/target.ts";
import { openSession, type Session } from "../session.ts";

/** The rules of the search gateway. */
export const RULES_KIND = listKind<Rule>({
  ...{ name: RULES, one: "Rule", file: "rules.yaml", form: RULES_FORM, textOf: indexedText, parse: parseRules },
  open: async (options, context) => {
    const session = await openSession(confOf(options), context);
    const rules = session.config.searchGateway?.rules;
    if (!rules)
      throw new UsageError("There are no rules: rules.yaml has no list of rules, or there is no search gateway");
    const { names, sdk } = await openAccount(session, options.local);
    return { names, sdk, value: rules, config: session.config };
  },
});

const document = namedDocument(RULES_KIND);

/** Returns notes for the plan on rules that `deploy` changes. */
export async function ruleNotes({ sdk, config }: Session, names: Names): Promise<string[]> {
  const rules = config.searchGateway?.rules;
  return rules ? document.notes(sdk, names, rules) : [];
}

/** Puts the rules of the configuration into use, before functions are deployed that need them. */
export async function synchronizeRules(session: Session, names: Names): Promise<void> {
  const rules = session.config.searchGateway?.rules;
  if (rules) await document.synchronize(session, names, rules);
}
