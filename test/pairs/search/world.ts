import { byteVector } from "../../../lib/search/embeddings/byte-vector.ts";
import type { GatewaySettings } from "../../../lib/search/gateway/settings.ts";
import { CHUNKING, passagesField, vectorField } from "../../../lib/settings/vectors.ts";
import type { Cluster } from "../../fixtures/opensearch.ts";
import { putTemplate, removeAll, succeed } from "../cleanup.ts";
import { type DenseModel, type PairModels, REVISIONS } from "../models.ts";
import { DEFAULT_PIPELINES } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";
import { SEA, TEXTS } from "./documents.ts";
import { hasParts, storedParts } from "./passages.ts";
import { SHAPES } from "./shapes.ts";
import { createSuggestions, suggestOf } from "./suggestions.ts";
import { SYNONYMS } from "./synonyms.ts";

type Entry = GatewaySettings["indexes"][number];

/** One concrete index, or the backing indexes of a data stream. */
interface Place {
  name: string;
  /** The model of text_dense; undefined if nobody knows it any more. */
  model: DenseModel | undefined;
  aliases: Record<string, object>;
  documents: ReadonlyArray<{ id: string; doc: Record<string, unknown> }>;
}

/** The indexes of one case. */
export interface World {
  /** What the request names. */
  expression: string;
  /** The names that a key needs. */
  grants: readonly string[];
  /** The models that made the vectors of text_dense in the indexes that are searched. */
  models: ReadonlyArray<DenseModel | undefined>;
  /** The entry of these indexes, by the rules of the guide. */
  entry: Entry | undefined;
  entries: readonly Entry[];
  /** Whether the indexes have different entries, which no hybrid search through the gateway serves. */
  hasOtherEntry: boolean;
  places: readonly Place[];
  mapping: SearchRow["mapping"];
  row: SearchRow;
}

/** Names that stand for the year, so that no midnight changes them while a case runs. */
const YEAR = String(new Date().getUTCFullYear());

/** Settings of an entry: another one for each kind of entry, so that a wrong entry is seen. */
const ENTRY_SETTINGS = {
  exact: {
    candidates: 20,
    settings: { normalization: "min_max", combination: "arithmetic_mean", weights: [0.7, 0.3] },
  },
  prefix: { candidates: 100, settings: { normalization: "min_max", combination: "arithmetic_mean" } },
  alias: { candidates: 12, settings: { normalization: "l2", combination: "geometric_mean" } },
  described: { candidates: 30, settings: { normalization: "min_max", combination: "harmonic_mean" } },
} as const satisfies Record<string, Partial<Entry>>;

/** How each entry reranks: only if asked, and fewer hits than any entry has candidates, so that variety has the same window. */
export const RERANK: NonNullable<GatewaySettings["indexes"][number]["rerank"]> = {
  ...{ model: "cohere.rerank-v3-5:0", fields: ["text"], candidates: 10, timeout_ms: 20_000, by_default: false },
};

/** Returns the indexes of a case whose names begin with `start`. */
export function worldOf(start: string, row: SearchRow): World {
  const { form, entry, mapping } = row;
  const isStream = form === "data-stream" || form === "rolled-over";
  const a = form === "date-math" ? `${start}-${YEAR}` : isStream ? `${start}-stream` : `${start}-a`;
  const [b, other] = [`${start}-b`, `${start}other`];
  // No concrete index begins like these.
  const [asked, extra] = [`${start}live-now`, `${start}tied-1`];
  const known = { none: "large", current: "large", previous: "before", unknown: undefined } as const;
  const model = entry === "none" ? "large" : known[row.meta];
  const behind = { name: {}, "date-math": {}, alias: { [asked]: {} }, "filtered-alias": { [asked]: { filter: SEA } } };
  const aliases: Record<string, object> = { ...behind[form as keyof typeof behind] };
  if (form === "write-alias") aliases[asked] = { is_write_index: false };
  const tied = entry === "alias" ? { [extra]: {} } : {};
  const places: Place[] = [{ name: a, model, aliases: { ...aliases, ...tied }, documents: documentsOf("d", row) }];
  const second = { model, documents: documentsOf("e", row) };
  if (form === "write-alias")
    places.push({ name: b, aliases: { [asked]: { is_write_index: true }, ...tied }, ...second });
  if (["list", "wildcard", "exclusion", "rolled-over"].includes(form))
    places.push({ name: b, aliases: tied, ...second });
  const isTwo = form === "two-models" || form === "two-entries";
  if (isTwo) places.push({ name: other, aliases: {}, ...second, ...(form === "two-models" && { model: "english" }) });
  const expressions: Partial<Record<SearchRow["form"], string>> = {
    list: `${a},${b}`,
    wildcard: `${start}-*`,
    exclusion: `${start}-*,-${b}`,
    "date-math": `<${start}-{now/y{yyyy}}>`,
    "two-models": `${a},${other}`,
    "two-entries": `${a},${other}`,
  };
  const usesAlias = ["alias", "write-alias", "filtered-alias"].includes(form);
  const expression = expressions[form] ?? (usesAlias ? asked : a);
  const names = isStream || isTwo ? [a] : [a, b];
  const own = entryOf(row, "dense_large_en_v1_5");
  const named: Record<SearchRow["entry"], readonly string[]> = {
    none: [],
    exact: names,
    prefix: [`${start}-*`],
    alias: [usesAlias ? `${start}live-*` : `${start}tied-*`],
    described: [`${start}described`],
  };
  // The alias that ties an index to its entry must be the only one that does.
  if (usesAlias && entry === "alias") for (const place of places) delete place.aliases[extra];
  const entries = own ? named[entry].map((index) => ({ ...own, index })) : [];
  if (form === "two-models" && own) {
    const alike = entryOf(row, "ext_embed_english_v3");
    if (alike) entries.push({ ...alike, index: other });
  }
  if (form === "two-entries" && own) entries.push({ ...own, index: other, candidates: own.candidates + 1 });
  const reached = form === "exclusion" ? places.slice(0, 1) : places;
  return {
    expression,
    grants: grantsOf(expression, start),
    models: reached.map((place) => place.model),
    entry: own,
    entries,
    hasOtherEntry: form === "two-entries",
    places,
    mapping,
    row,
  };
}

function grantsOf(expression: string, start: string): string[] {
  if (expression.startsWith("<")) return [`${start}-*`];
  return expression.split(",").filter((name) => !name.startsWith("-"));
}

function entryOf(row: SearchRow, model: Entry["embedding_mappings"][number]["model_name"]) {
  const { entry: kind, mapping, synonyms, passages, vectors } = row;
  if (kind === "none") return undefined;
  return {
    index: "",
    embedding_mappings: [
      ...(vectors === "sparse_vector"
        ? []
        : [
            {
              embedding_field: "text_dense",
              model_name: model,
              src_fields: ["text"],
              ...(passages !== "none" && { chunking: CHUNKING }),
            },
          ]),
      { embedding_field: "text_sparse", model_name: "sparse_v3" as const, src_fields: ["text"] },
      ...(mapping === "vectors"
        ? [{ embedding_field: "title_dense", model_name: "ext_embed_english_v3" as const, src_fields: ["text"] }]
        : []),
    ],
    on_embedding_failure: { write: "fail" as const, query: "degrade" as const },
    ...(synonyms === "entry" && { synonyms: SYNONYMS }),
    ...suggestOf(row),
    rerank: RERANK,
    ...ENTRY_SETTINGS[kind],
  } as Entry;
}

function documentsOf(prefix: keyof typeof TEXTS, { mapping, form }: SearchRow) {
  const isStream = form === "data-stream" || form === "rolled-over";
  return TEXTS[prefix].map(({ doc }, at) => ({
    id: `${prefix}${at}`,
    doc: {
      ...doc,
      n: (prefix === "d" ? 0 : TEXTS.d.length) + at,
      ...SHAPES[mapping].document(at),
      ...(isStream && { "@timestamp": "2026-01-01T00:00:00Z" }),
    },
  }));
}

/** Returns a vector as an index of a case stores it, and as it is searched. */
export const storedVector = ({ vectors }: Pick<SearchRow, "vectors">, vector: readonly number[]): readonly number[] =>
  vectors === "byte" ? byteVector(vector) : vector;

/** Returns the weights of tokens as an index of a case stores them, and as they are searched. */
export const storedTokens = (
  { vectors }: Pick<SearchRow, "vectors">,
  weights: Readonly<Record<string, number>>,
  models: Pick<PairModels, "byId">,
): Readonly<Record<string, number>> => (vectors === "sparse_vector" ? models.byId(weights) : weights);

/** Returns the fields with the embeddings of the text. */
export const embeddingFields = ({ vectors }: Pick<SearchRow, "vectors">, ofPassages: boolean): object => {
  if (vectors === "sparse_vector") return { text_sparse: vectorField(vectors, undefined) };
  const field = vectorField(vectors, 1_024);
  return { text_dense: ofPassages ? passagesField(field) : field, text_sparse: { type: "rank_features" } };
};

/** Returns the settings that the embeddings of an index need. */
export const neededSettings = ({ vectors }: Pick<SearchRow, "vectors">): object =>
  vectors === "sparse_vector" ? { sparse: true } : { knn: true };

/** Attempts to create the indexes of a case: a shared cluster may be busy with other files' for a minute. */
const ATTEMPTS = 3;

/** Creates the indexes of a case, whose names begin with `start`, straight in the cluster. */
export async function createWorld(cluster: Cluster, start: string, world: World, models: PairModels): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await createOnce(cluster, start, world, models);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await removeAll(cluster, start);
    }
  }
}

/** Creates the indexes with their documents and vectors. */
async function createOnce(cluster: Cluster, start: string, world: World, models: PairModels): Promise<void> {
  const { row } = world;
  const isStream = row.form === "data-stream" || row.form === "rolled-over";
  const propertiesOf = (at: number) => ({
    text: { type: "text" },
    genre: { type: "keyword" },
    year: { type: "integer" },
    n: { type: "integer" },
    "@timestamp": { type: "date" },
    ...embeddingFields(row, hasParts(row, at)),
    ...(world.mapping === "vectors" && { title_dense: vectorField(row.vectors, 1_024) }),
    ...SHAPES[world.mapping].properties,
  });
  const shards = { number_of_shards: Number(row.shards), number_of_replicas: 0, refresh_interval: "-1" };
  const isPiped = row.default_pipeline !== "none";
  const name = `${start}default`;
  if (isPiped) await succeed(cluster, "PUT", `/_search/pipeline/${name}`, DEFAULT_PIPELINES[row.default_pipeline]);
  const piped = isPiped && { search: { default_pipeline: name } };
  const settings = { index: { ...neededSettings(row), ...shards, ...piped } };
  await createSuggestions(row, world.expression, (...sent) => succeed(cluster, ...sent));
  const [first] = world.places;
  for (const [at, place] of world.places.entries()) {
    const mappings = { ...metaOf(world), properties: propertiesOf(at) };
    if (isStream && (at === 0 || row.passages === "some")) {
      await putTemplate(cluster, first?.name ?? "", { settings, mappings });
    }
    if (isStream && at === 0) await succeed(cluster, "PUT", `/_data_stream/${place.name}`);
    else if (isStream) await succeed(cluster, "POST", `/${first?.name}/_rollover`);
    else await succeed(cluster, "PUT", `/${place.name}`, { settings, mappings, aliases: place.aliases });
    const lines = place.documents.flatMap(({ id, doc }) => {
      const text = String(doc.text);
      const model = place.model ?? "before";
      const vectorOf = (one: string) => storedVector(row, models.dense(one, model));
      const embedded = {
        ...doc,
        ...(row.vectors !== "sparse_vector" && {
          text_dense: hasParts(row, at) ? storedParts(text, model, vectorOf) : vectorOf(text),
        }),
        text_sparse: storedTokens(row, models.sparse(text), models),
        ...(world.mapping === "vectors" && { title_dense: storedVector(row, models.dense(text, "english")) }),
      };
      return [JSON.stringify({ create: { _id: id, ...SHAPES[world.mapping].routing(id) } }), JSON.stringify(embedded)];
    });
    await writeAll(cluster, (isStream ? first?.name : place.name) ?? "", lines);
  }
  if (row.block !== "none") {
    const names = isStream ? first?.name : world.places.map((place) => place.name).join(",");
    await succeed(cluster, "PUT", `/${names}/_settings`, { index: { blocks: { [row.block]: true } } });
  }
}

async function writeAll(cluster: Cluster, name: string, lines: readonly string[]): Promise<void> {
  type Answer = { items?: Array<{ create: { status: number } }> };
  const { items = [] } = await succeed<Answer>(cluster, "POST", `/${name}/_bulk?refresh=true`, `${lines.join("\n")}\n`);
  const failed = items.filter(({ create }) => create.status !== 201);
  if (failed.length > 0) throw new Error(`the documents of a case: ${JSON.stringify(failed).slice(0, 500)}`);
}

/** Returns what the mapping says of the vectors, and of the entry. */
function metaOf({ row, entries }: World): object {
  const revision = REVISIONS[row.meta];
  if (revision === undefined) return {};
  const made = { model: "dense_large_en_v1_5", revision, dimension: 1_024, src_fields: ["text"] };
  const entry = (row.entry === "described" && entries[0]?.index) || "an-entry-of-long-ago";
  const embeddings = row.vectors === "sparse_vector" ? {} : { text_dense: made };
  return { _meta: { relevance: { entry, embeddings } } };
}
