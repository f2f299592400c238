import { CONFIGURED_RULES } from "../../lib/search/rules/configured.ts";
import { versionsCommand } from "../document-commands.ts";

/** `relevance rules list`: lists the last versions, newest first, which is the one in use. */
export const command = versionsCommand(CONFIGURED_RULES);
