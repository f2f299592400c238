import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { type BackfillFields, createBackfill } from "../../lib/search/index/backfill.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { readBackfill } from "../../lib/search/index/rebuild/run-record.ts";
import { MODELS } from "../../lib/settings/embedding-models.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { EMBEDDING, openGateway } from "../gateway/gateway.ts";
import {
  entryOf,
  followBackfill,
  importTally,
  reported,
  requireEmbedded,
  requireOneRun,
  runCalls,
  runOptions,
} from "../gateway/index-runs.ts";
import { filled, option } from "../options.ts";

/** `relevance backfill`: adds missing embeddings to stored documents. */
export const command = defineCommand({
  example: ["relevance backfill --index books", "relevance backfill --resume books-20261123-091500-a1b2"].join("\n  "),
  json: true,
  options: {
    index: option(
      "--index <name>",
      "index that hybrid_search.yaml maps",
      v.optional(filled("needs the name of an index")),
    ),
    ...runOptions,
  },
  run: async ({ json, index, resume, parallel: most, ...options }, context) => {
    requireOneRun({ index, resume });
    const conf = confOf(options);
    const { terminal } = context;
    const gateway = await openGateway(options, context, EMBEDDING);
    const calls = runCalls(gateway, context);
    const begun = index === undefined ? undefined : await fieldsOf(calls, conf, index);
    const { record } = await reported(async () =>
      begun && index !== undefined
        ? { record: await createBackfill(calls, { name: index, ...begun, now: new Date() }) }
        : readBackfill(calls, resume ?? ""),
    );
    if (begun) terminal.note(`Run ${record.id} embeds what documents of ${record.source} lack`);
    const fields = begun ?? (await fieldsOf(calls, conf, record.name));
    await requireEmbedded(gateway, context, { name: record.name, mappings: fields.mappings });
    const done = await followBackfill(gateway, { ...fields, id: record.id, most }, context);
    if (json) terminal.printJson(done);
    else terminal.print(importTally(done));
    if (done.tally.rejected === 0) return 0;
    terminal.note(`Show what was rejected: relevance index status --run ${done.id}`);
    return 1;
  },
});

async function fieldsOf(calls: RunCalls, conf: string, index: string): Promise<BackfillFields> {
  const { hybrid_queries } = loadHybridSearch(conf);
  const mapping = await entryOf(calls, hybrid_queries, index);
  if (!mapping) {
    const known = hybrid_queries.map((entry) => entry.index).join(", ") || "none";
    throw new UsageError(`hybrid_search.yaml has no mapping for the index ${index}: choose one of ${known}, or add it`);
  }
  const mappings = mapping.embedding_mappings;
  if (mappings.length === 0) {
    throw new UsageError(`The entry ${mapping.index} of hybrid_search.yaml has no embedding_mappings to fill`);
  }
  const dense = mappings.filter(({ model_name }) => MODELS[model_name].kind === "dense");
  return { mappings, dense: new Set(dense.map(({ embedding_field }) => embedding_field)) };
}
