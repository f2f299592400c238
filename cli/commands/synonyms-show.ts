import { CONFIGURED_SYNONYMS } from "../../lib/search/synonyms/configured.ts";
import { showCommand } from "../document-commands.ts";

/** `relevance synonyms show`: prints the rules of each file of a version. */
export const command = showCommand(CONFIGURED_SYNONYMS);
