import { CONFIGURED_SYNONYMS } from "../../lib/search/synonyms/configured.ts";
import { revertCommand } from "../document-commands.ts";

/** `relevance synonyms revert`: writes the content of an earlier version as a new one. */
export const command = revertCommand(CONFIGURED_SYNONYMS);
