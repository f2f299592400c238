import * as v from "valibot";
import { Failure } from "../../lib/platform/failure.ts";
import { indices } from "../../lib/search/index/rebuild/requests.ts";
import { behind } from "../../lib/search/index/rebuild/switch.ts";
import { newStamp } from "../../lib/search/index-meta/run-names.ts";
import { findMapping } from "../../lib/search/resolve/entry.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { ADMINISTRATION, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls, standing } from "../gateway/index-runs.ts";
import { schemaFrom } from "../gateway/schema-file.ts";
import { requireVectors } from "../gateway/vectors.ts";
import { filled, number, option } from "../options.ts";

/** `relevance index create`: creates an index with embedding fields, behind an alias, so that it can be rebuilt. */
export const command = defineCommand({
  example: "relevance index create --index books --schema-file-path books.json",
  options: {
    index: option("--index <name>", "the alias, with an entry in hybrid_search.yaml", filled("needs a name")),
    schemaFilePath: option(
      "--schema-file-path <file>",
      "settings and mappings as JSON, or the answer of GET /raw-backend/<index>",
      v.string(),
    ),
    shards: option(
      "--shards <count>",
      "primary shards (default: those of the file, or of the cluster)",
      count(1, 1_024),
    ),
    replicas: option("--replicas <count>", "copies of each shard (default: the same)", count(0, 10)),
    hnswM: option(
      "--hnsw-m <count>",
      "links of a vector in the graph: more improve recall and take more memory (default: 16)",
      count(2, 100),
    ),
    hnswEfConstruction: option(
      "--hnsw-ef-construction <count>",
      "candidates when a vector is added: more improve recall and slow down writes (default: 100)",
      count(2, 10_000),
    ),
    ...gatewayOptions,
  },
  run: async ({ index: alias, schemaFilePath: file, ...options }, context) => {
    const parameters = hnswOf(options);
    const conf = confOf(options);
    const place = { conf, index: alias, hnsw: () => parameters };
    const schema = await schemaFrom(file, place, context.terminal);
    Object.assign(schema.settings.index, {
      ...(options.shards !== undefined && { number_of_shards: options.shards }),
      ...(options.replicas !== undefined && { number_of_replicas: options.replicas }),
    });
    const calls = runCalls(await openGateway(options, context, ADMINISTRATION), context);
    const entry = findMapping(loadHybridSearch(conf).hybrid_queries, alias);
    await requireVectors(calls, entry?.embedding_mappings ?? [], schema.mappings);
    const name = `${alias}-${newStamp(new Date())}`;
    const body = { ...schema, aliases: { ...schema.aliases, [alias]: {} } };
    const [present] = await reported(() => behind(calls, alias));
    if (present !== undefined) {
      throw new Failure(
        `${alias} stands for ${present}: change that with \`relevance index rebuild\`, or choose another name`,
      );
    }
    await reported(() => calls.json(indices.create({ index: name, body })));
    const found = await standing(calls, alias);
    if (found !== name) {
      await reported(() => calls.json(indices.delete({ index: name })));
      throw new Failure(`${alias} was created by somebody else as well: it stood for ${found}. Deleted ${name} again`);
    }
    context.terminal.print(`Created ${name} behind the alias ${alias}`);
  },
});

function count(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.optional(v.pipe(number(/^\d{1,5}$/, message), v.minValue(least, message), v.maxValue(most, message)));
}

interface GraphOptions {
  hnswM?: number | undefined;
  hnswEfConstruction?: number | undefined;
}

/** Returns the parameters of HNSW. */
const hnswOf = ({ hnswM: m, hnswEfConstruction: ef_construction }: GraphOptions) => ({
  ...(m !== undefined && { m }),
  ...(ef_construction !== undefined && { ef_construction }),
});
