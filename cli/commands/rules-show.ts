import * as v from "valibot";
import { stringify } from "yaml";
import { defineCommand } from "../command.ts";
import { versionNumber } from "../document-commands.ts";
import { namedDocument, openDocument } from "../documents.ts";
import { Failure } from "../errors.ts";
import { RULES_KIND } from "../gateway/rules.ts";
import { LOCAL_HELP } from "../recommendation/target.ts";

/** `relevance rules show`: prints the rules of a version, or of the draft, as rules.yaml has them. */
export const command = defineCommand({
  example: "relevance rules show\n  relevance rules show 4\n  relevance rules show draft",
  json: true,
  define: (command) => {
    command.argument("[version]", "the version to show, or `draft` (default: the newest)");
    command.option("--local", LOCAL_HELP);
  },
  options: { version: v.optional(v.string()), local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json, version: given }, context) => {
    const { sdk, names } = await RULES_KIND.open({ conf, local }, context);
    const { explained, newest, valueIn } = namedDocument(RULES_KIND);
    const document = await openDocument(RULES_KIND.name, sdk, names);
    const found =
      given === undefined
        ? await newest(document)
        : await explained(given === "draft" ? document.draft() : document.read(versionNumber(given)));
    if (!found) throw new Failure(`There is no ${given === undefined ? "version" : given} of the rules yet`);
    const { content: _, ...about } = found;
    const rules = valueIn(found);
    if (json) context.terminal.printJson({ ...about, rules });
    else {
      context.terminal.note(`${given === "draft" ? "Draft" : `Version ${about.version}`} by ${about.written_by}`);
      context.terminal.print(stringify({ rules }).trimEnd());
    }
    return 0;
  },
});
