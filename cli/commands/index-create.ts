import * as v from "valibot";
import { indices } from "../../lib/search/index/rebuild/requests.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { newStamp } from "../../lib/search/index-meta/run-names.ts";
import { info } from "../../lib/search/opensearch/requests.ts";
import { confOf, defineCommand } from "../command.ts";
import { Failure } from "../errors.ts";
import { ADMINISTRATION, defineGatewayOptions, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";
import { schemaFrom } from "../gateway/schema-file.ts";

/** `relevance index create`: creates an index with embedding fields, behind an alias, so that it can be rebuilt. */
export const command = defineCommand({
  example: "relevance index create --index books --schema_file_path books.json",
  define: (command) => {
    command
      .requiredOption("--index <name>", "the alias, with an entry in hybrid_search.yaml")
      .requiredOption(
        "--schema_file_path <file>",
        "settings and mappings as JSON, or the answer of GET /raw-backend/<index>",
      )
      .option("--shards <count>", "primary shards (default: those of the file, or of the cluster)")
      .option("--replicas <count>", "copies of each shard (default: the same)")
      .option(
        "--hnsw-m <count>",
        "links of a vector in the graph: more improve recall and take more memory (default: 16)",
      )
      .option(
        "--hnsw-ef-construction <count>",
        "candidates when a vector is added: more improve recall and slow down writes (default: 100)",
      )
      .option("--quantization <kind>", "int8 stores one byte for each number of a vector; needs OpenSearch 2.16");
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    index: v.pipe(v.string(), v.nonEmpty("needs a name")),
    schema_file_path: v.string(),
    shards: count(1, 1_024),
    replicas: count(0, 10),
    hnswM: count(2, 100),
    hnswEfConstruction: count(2, 10_000),
    quantization: v.optional(v.picklist(["int8"])),
  },
  run: async ({ index: alias, schema_file_path: file, ...options }, context) => {
    const parameters = hnswOf(options);
    const place = { conf: confOf(options), index: alias, hnsw: () => parameters };
    const schema = await schemaFrom(file, place, context.terminal);
    Object.assign(schema.settings.index, {
      ...(options.shards !== undefined && { number_of_shards: options.shards }),
      ...(options.replicas !== undefined && { number_of_replicas: options.replicas }),
    });
    const calls = runCalls(await openGateway(options, context, ADMINISTRATION), context);
    if (options.quantization !== undefined) await reported(() => requireQuantization(calls));
    const name = `${alias}-${newStamp(new Date())}`;
    const body = { ...schema, aliases: { ...schema.aliases, [alias]: {} } };
    await reported(() => calls.json(indices.create({ index: name, body })));
    context.terminal.print(`Created ${name} behind the alias ${alias}`);
    return 0;
  },
});

function count(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,5}$/, message),
      v.transform(Number),
      v.minValue(least, message),
      v.maxValue(most, message),
    ),
  );
}

interface VectorOptions {
  hnswM?: number | undefined;
  hnswEfConstruction?: number | undefined;
  quantization?: "int8" | undefined;
}

/** Returns the parameters of Lucene's HNSW. Its scalar quantizer keeps seven bits for each number, in a byte. */
function hnswOf({ hnswM: m, hnswEfConstruction: ef_construction, quantization }: VectorOptions) {
  return {
    ...(m !== undefined && { m }),
    ...(ef_construction !== undefined && { ef_construction }),
    ...(quantization !== undefined && { encoder: { name: "sq", parameters: { bits: 7 } } }),
  };
}

/** Throws Failure for a cluster without Lucene's scalar quantizer. */
async function requireQuantization(calls: RunCalls): Promise<void> {
  const { version } = (await calls.json(info({}))) as { version?: { number?: string } };
  const [major = 0, minor = 0] = (version?.number ?? "").split(".").map(Number);
  if (major > 2 || (major === 2 && minor >= 16)) return;
  throw new Failure(`The cluster has OpenSearch ${version?.number}, and --quantization int8 needs 2.16 or later`);
}
