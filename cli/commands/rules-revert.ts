import { revertCommand } from "../document-commands.ts";
import { RULES_KIND } from "../gateway/rules.ts";

/** `relevance rules revert`: writes the content of an earlier version as a new one. */
export const command = revertCommand(RULES_KIND, { list: "rules list" });
