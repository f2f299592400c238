import * as v from "valibot";
import { SEARCHES } from "../../lib/platform/contract/search.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { table } from "../../lib/platform/table.ts";
import { defineCommand } from "../command.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { filled, maybe, option } from "../options.ts";

/** `relevance where`: says where a document is in a search, step by step, and why it is not higher. */
export const command = defineCommand({
  example: 'relevance where --local --settings settings.yaml --query "salt road" --document b42',
  json: true,
  options: {
    settings: option(
      "--settings <file>",
      "YAML file with the index and settings of a search, as for evaluate",
      v.string(),
    ),
    query: option("--query <text>", "what is searched for", filled("must not be empty")),
    document: option("--document <id>", "the _id of the document", filled("must not be empty")),
    setting: option("--setting <name>", "an entry of the file (default: the first)", maybe),
    user: option("--user <id>", "the user who searches", maybe),
    ...gatewayOptions,
  },
  run: async (options, context) => {
    const { readSettings } = await import("../../packages/lab/evaluation/input.ts");
    const { gatewayCall } = await import("../../packages/lab/evaluation/settings-file.ts");
    const { whereIs } = await import("../../packages/lab/whereabouts/where.ts");
    const { query, document, user } = options;
    const file = readSettings(options.settings);
    const setting = file.settings.find(({ name }, at) =>
      options.setting === undefined ? at === 0 : name === options.setting,
    );
    if (!setting) {
      const names = file.settings.map(({ name }) => name).join(", ");
      throw new UsageError(`--setting: ${options.settings} has no ${JSON.stringify(options.setting)}, only ${names}`);
    }
    const gateway = await openGateway(options, context, SEARCHES);
    const call = gatewayCall(file, setting, { id: query, text: query, userId: user }, 10);
    const ask = async ({ path, body }: { path: string; body: object }) => (await gateway.post(path, body)).body;
    const steps = await whereIs(ask, { call, document });
    if (options.json) context.terminal.printJson(steps);
    else
      context.terminal.print(
        table(
          ["step", "rank", "why"],
          steps.map(({ name, rank, why }) => [name, rank ?? "–", why]),
        ),
      );
  },
});
