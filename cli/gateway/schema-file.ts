import { readFileSync } from "node:fs";
import { rethrown, UsageError } from "../../lib/platform/failure.ts";
import { type IndexDescription, SchemaError } from "../../lib/search/index/index-description.ts";
import { type SemanticSchemaInput, semanticSchema } from "../../lib/search/index/semantic-schema.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Extends the schema in the file of `--schema-file-path` by the embedding fields of hybrid_search.yaml, and notes what it
 * left out. Throws UsageError.
 */
export async function schemaFrom(
  file: string,
  { conf, ...index }: Pick<SemanticSchemaInput, "index" | "hnsw"> & { conf: string },
  terminal: Terminal,
): Promise<IndexDescription["schema"]> {
  const { hybrid_queries: entries, models } = loadHybridSearch(conf);
  const base = parseJson(readText(file), file);
  const { schema, leftOut } = await rethrown(SchemaError, UsageError, () =>
    semanticSchema({ entries, models, ...index, base, source: file }),
  );
  if (leftOut.length > 0) terminal.note(`Left out from ${file}: ${leftOut.join(", ")}`);
  return schema;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new UsageError(`--schema-file-path: ${file} ${reason}`, { cause: error });
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
