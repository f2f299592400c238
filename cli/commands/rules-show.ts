import { CONFIGURED_RULES } from "../../lib/search/rules/configured.ts";
import { showCommand } from "../document-commands.ts";

/** `relevance rules show`: prints the rules of a version, or of the draft, as rules.yaml has them. */
export const command = showCommand(CONFIGURED_RULES, { drafts: true });
