import { versionsCommand } from "../document-commands.ts";
import { RULES_KIND } from "../gateway/rules.ts";

/** `relevance rules list`: lists the last versions, newest first, which is the one in use. */
export const command = versionsCommand(RULES_KIND, { list: "rules list" });
