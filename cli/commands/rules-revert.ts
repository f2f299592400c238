import { CONFIGURED_RULES } from "../../lib/search/rules/configured.ts";
import { revertCommand } from "../document-commands.ts";

/** `relevance rules revert`: writes the content of an earlier version as a new one. */
export const command = revertCommand(CONFIGURED_RULES);
