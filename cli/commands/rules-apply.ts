import { CONFIGURED_RULES } from "../../lib/search/rules/configured.ts";
import { applyCommand } from "../document-commands.ts";

/** `relevance rules apply`: writes the rules of rules.yaml, which are in use within a minute, or the draft of them. */
export const command = applyCommand(CONFIGURED_RULES, { drafts: true });
