import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { openDocument, revert } from "../documents.ts";
import { openSynonyms, synonymDocument } from "../gateway/synonyms.ts";
import { LOCAL_HELP } from "../recommendation/target.ts";

/** `relevance synonyms revert`: writes the content of an earlier version as a new one. */
export const command = defineCommand({
  example: "relevance synonyms revert\n  relevance synonyms revert 4",
  json: true,
  define: (command) => {
    command.argument("[version]", "the version to bring back (default: the one before the newest)");
    command.option("--local", LOCAL_HELP);
  },
  options: { version: v.optional(v.string()), local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json, version: given }, context) => {
    const { sdk, names } = await openSynonyms({ conf, local }, context);
    const document = await openDocument(synonymDocument, sdk, names);
    await revert(synonymDocument, document, { sdk, given }, { terminal: context.terminal, json });
    return 0;
  },
});
