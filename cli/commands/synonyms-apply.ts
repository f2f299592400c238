import { CONFIGURED_SYNONYMS } from "../../lib/search/synonyms/configured.ts";
import { applyCommand } from "../document-commands.ts";

/** `relevance synonyms apply`: writes the synonyms of the configuration, which are in use within a minute. */
export const command = applyCommand(CONFIGURED_SYNONYMS);
