import { versionsCommand } from "../document-commands.ts";
import { PLACEMENTS_KIND } from "../recommendation/placements.ts";

/** `relevance placements versions`: lists the last versions, newest first, which is the one in use. */
export const command = versionsCommand(PLACEMENTS_KIND, { list: "placements versions" });
