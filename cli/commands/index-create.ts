import { readFileSync } from "node:fs";
import * as v from "valibot";
import { loadHybridSearch } from "../../lib/config/load.ts";
import { pathOf } from "../../lib/search/index/rebuild/run-calls.ts";
import { newRunId } from "../../lib/search/index/rebuild/run-record.ts";
import { SchemaError } from "../../lib/search/index/schema-error.ts";
import { semanticSchema } from "../../lib/search/index/semantic-schema.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";
import { confOf, defineGatewayOptions, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";

/** `relevance index create`: creates an index with embedding fields, behind an alias, so that it can be rebuilt. */
export const indexCreate = defineCommand({
  example: "relevance index create --index books --schema_file_path books.json",
  define: (command) => {
    command
      .requiredOption("--index <name>", "the alias, with an entry in hybrid_search.yaml")
      .requiredOption(
        "--schema_file_path <file>",
        "settings and mappings as JSON, or the answer of GET /raw-backend/<index>",
      );
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    index: v.pipe(v.string(), v.nonEmpty("needs a name")),
    schema_file_path: v.string(),
  },
  run: async ({ index: alias, schema_file_path: file, ...options }, context) => {
    const conf = confOf(options);
    const { hybrid_queries: entries, models } = loadHybridSearch(conf);
    let base: unknown;
    try {
      base = JSON.parse(readFileSync(file, "utf8"));
    } catch (error) {
      throw new UsageError(`--schema_file_path: ${file} cannot be read as JSON: ${(error as Error).message}`);
    }
    try {
      const { schema, leftOut } = semanticSchema({ entries, models, index: alias, base, source: file });
      if (leftOut.length > 0) context.terminal.note(`Left out from ${file}: ${leftOut.join(", ")}`);
      const calls = runCalls(await openGateway({ ...options, conf }, context));
      const name = `${alias}-${newRunId(new Date())}`;
      await reported(() => calls.json("PUT", pathOf(name), { ...schema, aliases: { ...schema.aliases, [alias]: {} } }));
      context.terminal.print(`Created ${name} behind the alias ${alias}`);
      return 0;
    } catch (error) {
      throw error instanceof SchemaError ? new UsageError(error.message, { cause: error }) : error;
    }
  },
});
