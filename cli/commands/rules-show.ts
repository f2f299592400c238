import { showCommand } from "../document-commands.ts";
import { RULES_KIND } from "../gateway/rules.ts";

/** `relevance rules show`: prints the rules of a version, or of the draft, as rules.yaml has them. */
export const command = showCommand(RULES_KIND, { drafts: true });
