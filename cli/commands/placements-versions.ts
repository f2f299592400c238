import { CONFIGURED_PLACEMENTS } from "../../lib/recommendation/placements/configured.ts";
import { versionsCommand } from "../document-commands.ts";

/** `relevance placements versions`: lists the last versions, newest first, which is the one in use. */
export const command = versionsCommand(CONFIGURED_PLACEMENTS);
