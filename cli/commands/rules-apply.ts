import { applyCommand } from "../document-commands.ts";
import { Failure } from "../errors.ts";
import { RULES_KIND } from "../gateway/rules.ts";

/** `relevance rules apply`: writes the rules of rules.yaml, which are in use within a minute, or the draft of them. */
export const command = applyCommand(RULES_KIND, {
  drafts: true,
  requireDeployed: ({ searchGateway }) => {
    if (!searchGateway || searchGateway.rules) return;
    throw new Failure("The deployed gateway reads no rules. Run `relevance deploy`, which applies them, too");
  },
});
