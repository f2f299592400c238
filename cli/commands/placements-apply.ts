import { CONFIGURED_PLACEMENTS } from "../../lib/recommendation/placements/configured.ts";
import { applyCommand } from "../document-commands.ts";

/** `relevance placements apply`: writes the placements of recommendation.yaml, which are in use within a minute. */
export const command = applyCommand(CONFIGURED_PLACEMENTS);
