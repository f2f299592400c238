import { type ConfiguredDocument, listKind } from "../../platform/aws/documents.ts";
import { Failure, UsageError } from "../../platform/failure.ts";
import type { Configuration } from "../../settings/configuration.ts";
import { RULES_FORM, type Rule } from "../../settings/rules.ts";
import { parseRules } from "./document.ts";
import { RULES } from "./name.ts";
import { indexedText } from "./text.ts";

/** The rules of rules.yaml, which are in use within a minute after they are written. */
export const CONFIGURED_RULES: ConfiguredDocument<readonly Rule[], Configuration> = {
  ...listKind<Rule>({
    ...{
      name: RULES,
      list: "rules list",
      one: "Rule",
      file: "rules.yaml",
      form: RULES_FORM,
      textOf: indexedText,
      parse: parseRules,
    },
  }),
  configured({ searchGateway }) {
    if (searchGateway?.rules) return searchGateway.rules;
    throw new UsageError("There are no rules: rules.yaml has no list of rules, or there is no search gateway");
  },
  requireDeployed({ searchGateway }) {
    if (!searchGateway || searchGateway.rules) return;
    throw new Failure("The deployed gateway reads no rules. Run `relevance deploy`, which applies them, too");
  },
};
