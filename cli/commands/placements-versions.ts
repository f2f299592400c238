import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { openDocument, printVersions } from "../documents.ts";
import { placementDocument } from "../recommendation/placements.ts";
import { LOCAL_HELP, openTarget } from "../recommendation/target.ts";

/** `relevance placements versions`: lists the last versions, newest first, which is the one in use. */
export const command = defineCommand({
  example: "relevance placements versions",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const { sdk, names } = await openTarget({ conf, local }, context);
    const document = await openDocument(placementDocument, sdk, names);
    await printVersions(placementDocument, document, { terminal: context.terminal, json });
    return 0;
  },
});
