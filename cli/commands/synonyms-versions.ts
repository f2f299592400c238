import { CONFIGURED_SYNONYMS } from "../../lib/search/synonyms/configured.ts";
import { versionsCommand } from "../document-commands.ts";

/** `relevance synonyms versions`: lists the last versions, newest first, which is the one in use. */
export const command = versionsCommand(CONFIGURED_SYNONYMS);
