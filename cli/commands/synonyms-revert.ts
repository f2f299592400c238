import { revertCommand } from "../document-commands.ts";
import { SYNONYMS_KIND } from "../gateway/synonyms.ts";

/** `relevance synonyms revert`: writes the content of an earlier version as a new one. */
export const command = revertCommand(SYNONYMS_KIND, { list: "synonyms versions" });
