import { CONFIGURED_PLACEMENTS } from "../../lib/recommendation/placements/configured.ts";
import { revertCommand } from "../document-commands.ts";

/** `relevance placements revert`: writes the content of an earlier version as a new one. */
export const command = revertCommand(CONFIGURED_PLACEMENTS);
