import { versionsCommand } from "../document-commands.ts";
import { SYNONYMS_KIND } from "../gateway/synonyms.ts";

/** `relevance synonyms versions`: lists the last versions, newest first, which is the one in use. */
export const command = versionsCommand(SYNONYMS_KIND, { list: "synonyms versions" });
