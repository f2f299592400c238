import type { GatewaySettings } from "../../../lib/search/gateway/settings.ts";
import type { Cluster } from "../../fixtures/opensearch.ts";
import { putTemplate, succeed } from "../cleanup.ts";
import { REVISIONS } from "../models.ts";
import { embeddingFields, neededSettings } from "../search/world.ts";
import { WRITES, type WriteRow } from "./dimensions.ts";
import { hasDense, storesParts, WRITE_CHUNKING } from "./documents.ts";

type Entry = GatewaySettings["indexes"][number];

/** The indexes of one write: those behind the name, and one that a person writes to, straight in the cluster. */
export interface WriteWorld {
  expression: string;
  grants: readonly string[];
  /** All concrete indexes and streams behind the name. */
  places: readonly string[];
  /** The one that a write must reach, as a pattern of its name. */
  written: RegExp;
  twin: string;
  entries: readonly Entry[];
}

const YEAR = String(new Date().getUTCFullYear());

const isStream = ({ form }: WriteRow) => form === "data-stream" || form === "rolled-over";

/** Returns the indexes of a case whose names begin with `start`. */
export function writeWorldOf(own: string, start: string, row: WriteRow): WriteWorld {
  const { form, entry } = row;
  const a = form === "date-math" ? `${start}-${YEAR}` : isStream(row) ? `${start}-stream` : `${start}-a`;
  const b = `${start}-b`;
  const usesAlias = ["alias", "write-alias", "filtered-alias"].includes(form);
  const asked = `${start}live-now`;
  const expression = usesAlias ? asked : form === "date-math" ? `<${start}-{now/y{yyyy}}>` : a;
  const written = form === "write-alias" ? b : a;
  const backing = { "data-stream": `\\.ds-${a}-000001`, "rolled-over": `\\.ds-${a}-000002` };
  const named: Record<WriteRow["entry"], readonly string[]> = {
    none: [],
    exact: form === "write-alias" ? [a, b] : [a],
    prefix: [`${start}-*`],
    alias: [usesAlias ? `${start}live-*` : `${start}tied-*`],
    described: [`${start}described`],
  };
  return {
    expression,
    grants: form === "date-math" ? [`${start}-*`] : [expression],
    places: form === "write-alias" ? [a, b] : [a],
    written: new RegExp(`^${backing[form as keyof typeof backing] ?? written}$`),
    twin: twinOf(own, row),
    entries: named[entry].map((index) => ({
      index,
      embedding_mappings: [
        ...(hasDense(row)
          ? [{ embedding_field: "text_dense" as const, model_name: "dense_large_en_v1_5" as const }]
          : []),
        { embedding_field: "text_sparse" as const, model_name: "sparse_v3" as const },
      ].map((mapping) => ({
        ...mapping,
        src_fields: ["text", "brand.name"],
        ...(["both", "entry"].includes(row.passages) && { chunking: WRITE_CHUNKING }),
      })),
      on_embedding_failure: { write: row.failure, query: "degrade" },
      candidates: 100,
      settings: { normalization: "min_max", combination: "arithmetic_mean" },
    })),
  };
}

const PIPELINES: Readonly<Record<string, object>> = {
  default: { set: { field: "stamp", value: "by default" } },
  final: { set: { field: "stamp", value: "at last" } },
  "changes-text": { set: { field: "text", value: "changed afterwards" } },
};

const pipelineOf = (own: string, pipeline: WriteRow["pipeline"]) => `${own}-${pipeline}`;
const twinOf = (own: string, row: WriteRow) =>
  `${own}-twin-${row.pipeline}-${row.vectors}${storesParts(row) ? "-parts" : ""}`;

const settingsOf = (own: string, { pipeline, vectors }: WriteRow) => ({
  index: {
    ...neededSettings({ vectors }),
    number_of_shards: 1,
    number_of_replicas: 0,
    ...(pipeline !== "none" && {
      [pipeline === "final" ? "final_pipeline" : "default_pipeline"]: pipelineOf(own, pipeline),
    }),
  },
});

/** Creates the ingest pipelines, and the indexes that a person writes to: one for each pipeline and each kind of embeddings. */
export async function createTwins(cluster: Cluster, own: string, rows: readonly WriteRow[]): Promise<void> {
  const twins = new Map(rows.map((row) => [twinOf(own, row), row]));
  for (const pipeline of WRITES.pipeline) {
    const processors = [PIPELINES[pipeline]];
    if (pipeline !== "none") {
      await succeed(cluster, "PUT", `/_ingest/pipeline/${pipelineOf(own, pipeline)}`, { processors });
    }
  }
  for (const [twin, row] of twins) {
    const index = { settings: settingsOf(own, row), mappings: { properties: propertiesOf(row) } };
    await succeed(cluster, "PUT", `/${twin}`, index);
  }
}

/** Creates the indexes behind the name of a case. */
export async function createWriteWorld(
  cluster: Cluster,
  world: WriteWorld,
  { own, start, row }: { own: string; start: string; row: WriteRow },
): Promise<void> {
  const settings = settingsOf(own, row);
  const revision = REVISIONS[row.meta];
  const made = { model: "dense_large_en_v1_5", revision, dimension: 1_024, src_fields: ["text", "brand.name"] };
  const entry = (row.entry === "described" && world.entries[0]?.index) || "an-entry-of-long-ago";
  const mappings = {
    ...(revision !== undefined && {
      _meta: { relevance: { entry, embeddings: hasDense(row) ? { text_dense: made } : {} } },
    }),
    properties: propertiesOf(row),
  };
  const tied = row.entry === "alias" && world.expression === world.places[0] ? { [`${start}tied-1`]: {} } : {};
  if (isStream(row)) {
    const [stream = ""] = world.places;
    await putTemplate(cluster, stream, { settings, mappings });
    await succeed(cluster, "PUT", `/_data_stream/${stream}`);
    if (row.form === "rolled-over") await succeed(cluster, "POST", `/${stream}/_rollover`);
    return;
  }
  for (const [at, name] of world.places.entries()) {
    const asked = {
      alias: { [world.expression]: {} },
      "write-alias": { [world.expression]: { is_write_index: at === 1 } },
      "filtered-alias": { [world.expression]: { filter: { term: { genre: "sea" } } } },
    };
    const dated = row.form === "date-math" && row.entry === "alias" ? { [`${start}tied-1`]: {} } : {};
    const aliases = { ...asked[row.form as keyof typeof asked], ...tied, ...dated };
    await succeed(cluster, "PUT", `/${name}`, { settings, mappings, aliases });
  }
}

const propertiesOf = (row: WriteRow) => ({
  text: { type: "text" },
  brand: { properties: { name: { type: "keyword" } } },
  genre: { type: "keyword" },
  n: { type: "long" },
  "@timestamp": { type: "date" },
  ...embeddingFields(row, storesParts(row)),
});
