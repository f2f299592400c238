import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { loadHybridSearch } from "../../lib/config/load.ts";
import { SchemaError } from "../../lib/search/index/schema-error.ts";
import { semanticSchema } from "../../lib/search/index/semantic-schema.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";

/**
 * `relevance hybrid-search generate-semantic-index-schema`: prints the schema to standard output, notes to standard
 * error.
 */
export const command = defineCommand({
  example: [
    'curl -H "x-api-key: $API_KEY" $API_URL/raw-backend/books > books.json',
    "relevance hybrid-search generate-semantic-index-schema --index books-v2 --schema_file_path books.json",
  ].join("\n  "),
  define: (command) => {
    command
      .requiredOption("--index <name>", "index with an entry in hybrid_search.yaml")
      .requiredOption("--schema_file_path <file>", "base schema as JSON, or the answer of GET /raw-backend/<index>");
  },
  options: { index: v.pipe(v.string(), v.nonEmpty("needs a name")), schema_file_path: v.string() },
  run: async ({ conf, index, schema_file_path: file }, { terminal }) => {
    const { hybrid_queries: entries, models } = loadHybridSearch(conf);
    const base = parseJson(await readText(file), file);
    try {
      const { schema, leftOut } = semanticSchema({ entries, models, index, base, source: file });
      if (leftOut.length > 0) terminal.note(`Left out from ${file}: ${leftOut.join(", ")}`);
      terminal.printJson(schema);
      return 0;
    } catch (error) {
      // JSON.stringify is recursive and can exceed the stack; JSON.parse cannot.
      if (error instanceof RangeError) {
        throw new UsageError(`${file} is nested too deeply: OpenSearch takes 20 levels of fields`, { cause: error });
      }
      throw error instanceof SchemaError ? new UsageError(error.message, { cause: error }) : error;
    }
  },
});

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new UsageError(`--schema_file_path: ${file} ${reason}`, { cause: error });
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
