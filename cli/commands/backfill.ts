import * as v from "valibot";
import { MODELS } from "../../lib/config/embedding-models.ts";
import { loadHybridSearch } from "../../lib/config/load.ts";
import { findMapping } from "../../lib/search/gateway/find-mapping.ts";
import { backfill, type GatewayCalls } from "../../lib/search/index/backfill.ts";
import { describe } from "../../lib/search/index/rebuild/create.ts";
import { shardQuery } from "../../lib/search/index/rebuild/documents.ts";
import { pathOf, type RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { countDocuments, refresh, shardMarks } from "../../lib/search/index/rebuild/shards.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";
import { confOf, defineGatewayOptions, type Gateway, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";

/** `relevance backfill`: adds missing embeddings to stored documents. */
export const backfillCommand = defineCommand({
  example: "relevance backfill --index books",
  json: true,
  define: (command) => {
    command.requiredOption("--index <name>", "index that hybrid_search.yaml maps");
    defineGatewayOptions(command);
  },
  options: {
    index: v.pipe(v.string(), v.nonEmpty("needs the name of an index")),
    ...gatewayOptions,
  },
  run: async ({ json, index, ...options }, context) => {
    const conf = confOf(options);
    const { hybrid_queries } = loadHybridSearch(conf);
    const mapping = findMapping(hybrid_queries, index);
    if (!mapping) {
      const known = hybrid_queries.map((entry) => entry.index).join(", ") || "none";
      throw new UsageError(
        `hybrid_search.yaml has no mapping for the index ${index}: choose one of ${known}, or add it`,
      );
    }
    const gateway = await openGateway({ ...options, conf }, context);
    const mappings = mapping.embedding_mappings;
    const dense = mappings.filter(({ model_name }) => MODELS[model_name].kind === "dense");
    const { terminal } = context;
    const calls = runCalls(gateway);
    const result = await reported(async () => {
      const { name } = await describe(calls, index);
      const total = await countDocuments(calls, name);
      return backfill(callsOf(gateway, calls, { index, name }), {
        mappings,
        dense: new Set(dense.map(({ embedding_field }) => embedding_field)),
        onProgress: (read) => terminal.note(`${index}: ${read} of ${total} documents read`),
      });
    });
    if (json) terminal.printJson(result);
    else {
      for (const { id, reason } of result.failed.slice(0, 20)) terminal.print(`${id}  ${reason}`);
      terminal.print(
        `${result.read} documents read, ${result.lacking} without an embedding, ` +
          `${result.embedded} embedded, ${result.failed.length} failed`,
      );
    }
    return result.failed.length > 0 ? 1 : 0;
  },
});

function callsOf({ post }: Gateway, calls: RunCalls, { index, name }: { index: string; name: string }): GatewayCalls {
  return {
    async marks() {
      await refresh(calls, name);
      return shardMarks(calls, name);
    },
    search: async (shard, body) =>
      (await calls.json("POST", `${pathOf(name, "_search")}?${shardQuery(shard)}`, body)) as never,
    bulk: async (bulk_request) => (await post("/application/bulk", { index, bulk_request })).body as never,
  };
}
