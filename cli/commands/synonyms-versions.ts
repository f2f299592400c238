import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { openDocument, printVersions } from "../documents.ts";
import { openSynonyms, synonymDocument } from "../gateway/synonyms.ts";
import { LOCAL_HELP } from "../recommendation/target.ts";

/** `relevance synonyms versions`: lists the last versions, newest first, which is the one in use. */
export const command = defineCommand({
  example: "relevance synonyms versions",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const { sdk, names } = await openSynonyms({ conf, local }, context);
    const document = await openDocument(synonymDocument, sdk, names);
    await printVersions(synonymDocument, document, { terminal: context.terminal, json });
    return 0;
  },
});
