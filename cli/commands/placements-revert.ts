import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { openDocument, revert } from "../documents.ts";
import { placementDocument } from "../recommendation/placements.ts";
import { LOCAL_HELP, openTarget } from "../recommendation/target.ts";

/** `relevance placements revert`: writes the content of an earlier version as a new one. */
export const command = defineCommand({
  example: "relevance placements revert\n  relevance placements revert 4",
  json: true,
  define: (command) => {
    command.argument("[version]", "the version to bring back (default: the one before the newest)");
    command.option("--local", LOCAL_HELP);
  },
  options: { version: v.optional(v.string()), local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json, version: given }, context) => {
    const { sdk, names } = await openTarget({ conf, local }, context);
    const document = await openDocument(placementDocument, sdk, names);
    await revert(placementDocument, document, { sdk, given }, { terminal: context.terminal, json });
    return 0;
  },
});
