import { revertCommand } from "../document-commands.ts";
import { PLACEMENTS_KIND } from "../recommendation/placements.ts";

/** `relevance placements revert`: writes the content of an earlier version as a new one. */
export const command = revertCommand(PLACEMENTS_KIND, { list: "placements versions" });
