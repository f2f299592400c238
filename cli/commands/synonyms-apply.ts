import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { openDocument, printApplied, writeDocument } from "../documents.ts";
import { openSynonyms, requireDeployedFiles, synonymDocument } from "../gateway/synonyms.ts";
import { LOCAL_HELP } from "../recommendation/target.ts";

/** `relevance synonyms apply`: writes the synonyms of the configuration, which are in use within a minute. */
export const command = defineCommand({
  example: "relevance synonyms apply",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const target = await openSynonyms({ conf, local }, context);
    await requireDeployedFiles(target);
    const document = await openDocument(synonymDocument, target.sdk, target.names);
    const written = await writeDocument(synonymDocument, document, target.sdk, target.lists);
    printApplied(synonymDocument, written, { terminal: context.terminal, json });
    return 0;
  },
});
