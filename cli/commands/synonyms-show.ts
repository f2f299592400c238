import { showCommand } from "../document-commands.ts";
import { SYNONYMS_KIND } from "../gateway/synonyms.ts";

/** `relevance synonyms show`: prints the rules of each file of a version. */
export const command = showCommand(SYNONYMS_KIND);
