import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { schemaFrom } from "../gateway/schema-file.ts";
import { filled, option } from "../options.ts";

/**
 * `relevance hybrid-search generate-semantic-index-schema`: prints the schema to standard output, notes to standard
 * error.
 */
export const command = defineCommand({
  example: [
    'curl -H "x-api-key: $API_KEY" $API_URL/raw-backend/books > books.json',
    "relevance hybrid-search generate-semantic-index-schema --index books-v2 --schema-file-path books.json",
  ].join("\n  "),
  options: {
    index: option("--index <name>", "index with an entry in hybrid_search.yaml", filled("needs a name")),
    schemaFilePath: option(
      "--schema-file-path <file>",
      "base schema as JSON, or the answer of GET /raw-backend/<index>",
      v.string(),
    ),
  },
  run: async ({ conf, index, schemaFilePath: file }, { terminal }) => {
    try {
      terminal.printJson(await schemaFrom(file, { conf, index }, terminal));
      return 0;
    } catch (error) {
      // JSON.stringify is recursive and can exceed the stack; JSON.parse cannot.
      if (!(error instanceof RangeError)) throw error;
      throw new UsageError(`${file} is nested too deeply: OpenSearch takes 20 levels of fields`, { cause: error });
    }
  },
});
