import { isDeepStrictEqual } from "node:util";
import { table } from "../../lib/platform/table.ts";
import { indices } from "../../lib/search/index/rebuild/requests.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { countDocuments } from "../../lib/search/index/rebuild/shards.ts";
import { vectorsOf } from "../../lib/search/index/semantic-schema.ts";
import { type IndexMeta, readIndexMeta } from "../../lib/search/index-meta/index-meta.ts";
import {
  embeddingField,
  fieldsOfMapping,
  hasEmbedding,
  hasPassages,
} from "../../lib/search/opensearch/index-catalog.ts";
import { entryOf } from "../../lib/search/resolve/entry.ts";
import { MODELS } from "../../lib/settings/embedding-models.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { type Vectors, vectorsOfField } from "../../lib/settings/vectors.ts";
import { confOf, defineCommand } from "../command.ts";
import { ADMINISTRATION, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";
import { filled, option } from "../options.ts";

interface Listed {
  index: string;
  aliases: string[];
  documents: number;
  bytes: number;
  embeddings: Array<{
    field: string;
    model: string;
    /** The model of the vectors; absent if the index does not record it. */
    revision: string | undefined;
    /** Whether the configured model makes other vectors. */
    outdated: boolean;
    /** Whether the vectors were made of other source fields than the configured ones. */
    other_sources: boolean;
    /** How the index stores them; absent if it has no such field. */
    vectors: Vectors | undefined;
    /** How hybrid_search.yaml wants them stored, if that is another way: a rebuild makes it so. */
    wanted_vectors: Vectors | undefined;
    /** Whether it has embeddings of passages. */
    passages: boolean;
    /** Whether texts were split otherwise than hybrid_search.yaml says. */
    other_passages: boolean;
    /** Documents without a vector; only for dense fields, whose absence the cluster can search for. */
    lacking: number | undefined;
  }>;
}

/** `relevance index list`: shows indexes with their aliases, sizes and models. */
export const command = defineCommand({
  example: "relevance index list",
  json: true,
  options: {
    index: option("--index <pattern>", "indexes to show", filled("needs a name or pattern"), { default: "*" }),
    ...gatewayOptions,
  },
  run: async ({ json, index, ...options }, context) => {
    const conf = confOf(options);
    const calls = runCalls(await openGateway(options, context, ADMINISTRATION), context);
    const listed = await reported(() => list(calls, index, loadHybridSearch(conf)));
    if (json) context.terminal.printJson(listed);
    else context.terminal.print(table(HEADER, listed.map(rowOf)));
  },
});

const HEADER = ["index", "aliases", "documents", "MB", "embeddings"];

function rowOf({ index, aliases, documents, bytes, embeddings }: Listed): string[] {
  const shown = embeddings.map(
    ({ field, model, revision, outdated, other_sources, vectors, wanted_vectors, passages, other_passages, lacking }) =>
      [
        `${field}: ${model}`,
        revision === undefined ? "(unknown revision)" : revision,
        outdated ? "OUTDATED" : other_sources ? "OUTDATED (other src_fields)" : "",
        passages ? "in passages" : "",
        other_passages && !outdated ? "OUTDATED (other chunking)" : "",
        vectors === undefined || DEFAULTS.includes(vectors) ? "" : `as ${vectors}`,
        wanted_vectors === undefined ? "" : `OUTDATED (rebuild stores ${wanted_vectors})`,
        lacking ? `lacks ${lacking}` : "",
      ]
        .filter(Boolean)
        .join(" "),
  );
  return [index, aliases.join(", "), String(documents), (bytes / 1e6).toFixed(1), shown.join("; ")];
}

/** Said of no field: most have these. */
const DEFAULTS: readonly Vectors[] = ["float", "rank_features"];

interface Described {
  aliases: Record<string, unknown>;
  mappings: { _meta?: unknown };
}

interface Stats {
  indices: Record<string, { primaries: { docs: { count: number }; store: { size_in_bytes: number } } }>;
}

async function list(
  calls: RunCalls,
  pattern: string,
  { hybrid_queries, models }: ReturnType<typeof loadHybridSearch>,
): Promise<Listed[]> {
  // A wildcard at the beginning includes names that start with a dot, which no key but an unlimited one may use.
  const asked = pattern.split(",").some((part) => part.startsWith("*")) ? `${pattern},-.*` : pattern;
  const described = (await calls.json(indices.get({ index: asked }))) as Record<string, Described>;
  const stats = (await calls.json(indices.stats({ index: asked, metric: ["docs", "store"] }))) as unknown as Stats;
  const listed: Listed[] = [];
  for (const [index, { aliases, mappings }] of Object.entries(described)) {
    const names = Object.keys(aliases).filter((alias) => !alias.startsWith("relevance-"));
    const meta = readIndexMeta(mappings._meta);
    const entry = entryOf(hybrid_queries, { name: index, aliases: names, describedEntry: meta?.entry });
    const embeddings: Listed["embeddings"] = [];
    const fields = fieldsOfMapping(mappings);
    for (const {
      embedding_field: field,
      model_name: model,
      src_fields,
      vectors: wanted,
      chunking,
    } of entry?.embedding_mappings ?? []) {
      const made: IndexMeta["embeddings"][string] | undefined = meta?.embeddings[field];
      const stored = embeddingField(fields, field);
      const passages = MODELS[model].kind === "dense" ? hasPassages(fields, field) : made?.chunking !== undefined;
      const vectors = stored && (stored.vectors ?? vectorsOfField({ ...stored }));
      embeddings.push({
        field,
        vectors,
        wanted_vectors: wanted === vectors ? undefined : wanted,
        model: made?.model ?? model,
        revision: made?.revision,
        outdated: made !== undefined && (made.model !== model || made.revision !== vectorsOf(model, models)),
        other_sources: made !== undefined && made.src_fields.join() !== src_fields.join(),
        passages,
        other_passages:
          made === undefined ? passages !== (chunking !== undefined) : !isDeepStrictEqual(made.chunking, chunking),
        lacking:
          MODELS[model].kind === "dense"
            ? await countDocuments(calls, index, { bool: { must_not: hasEmbedding(fields, field) } })
            : undefined,
      });
    }
    const { docs, store } = stats.indices[index]?.primaries ?? { docs: { count: 0 }, store: { size_in_bytes: 0 } };
    // The statistics count each passage, too.
    const documents = embeddings.some(({ passages }) => passages) ? await countDocuments(calls, index) : docs.count;
    listed.push({ index, aliases: names, documents, bytes: store.size_in_bytes, embeddings });
  }
  return listed;
}
