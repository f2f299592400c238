import * as v from "valibot";
import { IMPORT_FORMATS } from "../../lib/platform/contract/search.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { createImport } from "../../lib/search/index/import/create.ts";
import { formatOf } from "../../lib/search/index/import/slices.ts";
import { behind } from "../../lib/search/index/rebuild/switch.ts";
import { loadConfiguration, loadHybridSearch } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { EMBEDDING, openGateway } from "../gateway/gateway.ts";
import { importSource } from "../gateway/import-files.ts";
import {
  embeddingsOf,
  entryOf,
  followImport,
  importTally,
  reported,
  requireEmbedded,
  requireOneRun,
  runCalls,
  runOptions,
} from "../gateway/index-runs.ts";
import { s3Client } from "../gateway/s3-files.ts";
import { filled, number, option } from "../options.ts";

/** `relevance index import`: writes the documents of files to an index. */
export const command = defineCommand({
  example: [
    "relevance index import --index books --from books.ndjson.gz --id-field isbn",
    "relevance index import --index books --from s3://my-bucket/books/ --format documents",
    "relevance index import --resume books-20261123-091500-a1b2",
  ].join("\n  "),
  json: true,
  options: {
    index: option(
      "--index <name>",
      "index or alias to write to",
      v.optional(filled("needs the name of an index or alias")),
    ),
    from: option(
      "--from <places...>",
      "files, folders, s3://bucket/key or s3://bucket/prefix/; gzip if they end with .gz",
      v.optional(v.array(v.string())),
    ),
    format: option(
      "--format <format>",
      "documents (one JSON object a line), bulk (as for _bulk) or csv (with a header); default: by the names of the files",
      v.optional(v.picklist(IMPORT_FORMATS)),
    ),
    idField: option(
      "--id-field <field>",
      "field or column with the id; without it, documents get new ids",
      v.optional(filled("needs the name of a field")),
    ),
    maxRejected: option(
      "--max-rejected <count>",
      "rejected documents above which the import stops; 1000, or as before if resumed",
      v.optional(number(/^\d{1,9}$/, "must be a whole number")),
    ),
    ...runOptions,
  },
  run: async (options, context) => {
    const { json, index, from, format, idField, resume, maxRejected, parallel } = options;
    requireOneRun({ index, resume });
    if (resume !== undefined && [from, format, idField].some((one) => one !== undefined)) {
      throw new UsageError(
        "--resume uses the options that the run began with: leave out --from, --format and --id-field",
      );
    }
    const conf = confOf(options);
    const gateway = await openGateway(options, context, EMBEDDING);
    const { find, open } = importSource(s3Client(context.env, () => loadConfiguration(conf).project.aws.region_name));
    const id = resume ?? (await start());
    const record = await followImport(gateway, { id, open, maxRejected, most: parallel }, context);
    if (json) context.terminal.printJson(record);
    else {
      context.terminal.print(importTally(record));
      if (record.degraded !== undefined) {
        context.terminal.print(
          `Some documents were stored without an embedding (${record.degraded}): run \`relevance backfill\``,
        );
      }
    }
    return record.tally.rejected > 0 ? 1 : 0;

    async function start(): Promise<string> {
      const name = index ?? "";
      if (from === undefined) throw new UsageError("Give the files with --from");
      const files = await find(from);
      const formats = new Set(await Promise.all(files.map((file) => format ?? reported(() => formatOf(file, open)))));
      const [known, ...others] = formats;
      if (known === undefined || others.length > 0) {
        throw new UsageError(
          "Give --format: documents, bulk or csv; it can be left out for files of one kind: .csv, .ndjson, .jsonl (also with .gz)",
        );
      }
      const { hybrid_queries } = loadHybridSearch(conf);
      const calls = runCalls(gateway, context);
      const entry = await entryOf(calls, hybrid_queries, name);
      const embed = entry !== undefined;
      const isThere = (await reported(() => behind(calls, name))).length > 0;
      if (entry && isThere) await requireEmbedded(gateway, context, { name, mappings: entry.embedding_mappings });
      const made = entry || !isThere ? [] : await reported(() => embeddingsOf(calls, name));
      if (made.length > 0) {
        const fields = made.map(({ embedding_field }) => embedding_field).join(", ");
        throw new UsageError(
          `${name} has embeddings in ${fields}, and hybrid_search.yaml in ${conf} has no entry for it, so documents would be ` +
            "stored without. Give the folder that has it by --conf",
        );
      }
      const record = await reported(() =>
        createImport(calls, { name, files, from: from.join(" "), format: known, idField, embed, now: new Date() }),
      );
      const what = files.length === 1 ? "1 file" : `${files.length} files`;
      context.terminal.note(`Run ${record.id} writes ${what} to ${name}${embed ? ", with embeddings" : ""}`);
      return record.id;
    }
  },
});
