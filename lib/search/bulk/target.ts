import type { Issue } from "../../platform/http/error.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { MODELS } from "../../settings/embedding-models.ts";
import { CHUNKING, isByCharacters, type Vectors } from "../../settings/vectors.ts";
import { type EmbedderName, embedderName, passagesBy } from "../embeddings/embedder.ts";
import type { Splitting } from "../embeddings/passages.ts";
import type { EmbeddingMapping, GatewaySettings, IndexSettings } from "../gateway/settings.ts";
import type { Resolver } from "../gateway/tools.ts";
import { embedderFor } from "../index-meta/index-meta.ts";
import { isRebuild } from "../index-meta/run-names.ts";
import { hiddenFields, isAmong, isHidden } from "../opensearch/hidden-fields.ts";
import { embeddingField, hasPassages, type IndexInfo } from "../opensearch/index-catalog.ts";
import { entryOfAbsent, resolveTarget, type TargetIndex } from "../resolve/target.ts";

/**
 * A mapping of the index that is written to: its embedder, or why documents are stored without this embedding. Mixing
 * models would corrupt ranking.
 */
export type TargetMapping = EmbeddingMapping &
  ({ embedder: EmbedderName } | { incompatible: string }) & {
    /** Storage format of the vectors; undefined for vectors as the model returns them. */
    vectors?: Vectors | undefined;
    passages?: PassageMapping | undefined;
    hidden?: HiddenFields | undefined;
    /** Why documents have no text of a source field. */
    unheld?: string | undefined;
  };

/** Fields of a mapping that `_source` excludes. An update in the cluster loses them. */
export interface HiddenFields {
  isEmbedding: boolean;
  sources: readonly string[];
}

/** Chunking of texts, and other settings that passages of a mapping depend on. */
export interface PassageMapping extends Splitting {
  /** Whether the index stores each passage, so that an update can keep unchanged ones. */
  isStored: boolean;
  /** Identity of the model that made the vectors. */
  madeBy: string;
}

/** The index of a request, and its embedding mappings. */
export interface BulkTarget {
  /** The name in the request. Writes use it, so that the routing of an alias applies. */
  name: string;
  /** The name to read documents from: the write index of a data stream or of an alias with several indexes, else `name`. */
  readName: string;
  /** The index name shown in items. */
  itemIndex: string;
  mappings: readonly TargetMapping[];
  /** Whether an ingest pipeline may change texts after they are embedded. */
  isPiped?: boolean;
  onFailure: IndexSettings["on_embedding_failure"]["write"];
}

/** What tells where documents go. */
export interface WriteTools extends Resolver {
  settings: GatewaySettings;
}

/** Cache lifetime (ms) of the fields of an index with embeddings, which may be replaced by another one. */
const BELIEVED_MS = 1_000;

/**
 * Resolves the index of a request. If it has embedding mappings, checks the fields in the cluster: it would silently
 * store vectors in a missing or wrong field as plain numbers, which no search finds. Throws `invalid_request` naming
 * each such field. Does not check an index without mappings, which the cluster may create.
 */
export async function bulkTarget(
  tools: WriteTools,
  name: string,
  deadline: Deadline,
  believedMs = BELIEVED_MS,
): Promise<BulkTarget> {
  const { settings } = tools;
  if (settings.indexes.length === 0) return { name, readName: name, itemIndex: name, mappings: [], onFailure: "fail" };
  const kept = await resolveTarget(tools, name, deadline);
  const embedded = entryOfAbsent(settings, name) ?? kept.indexes.find(({ entry }) => entry);
  const { indexes, written } = embedded ? await resolveTarget(tools, name, deadline, believedMs) : kept;
  if (indexes.length > 1 && !written && indexes.some(({ entry }) => entry)) throw invalid([ambiguous(indexes)]);
  const entry = indexes.length === 0 ? entryOfAbsent(settings, name) : written?.entry;
  const names = {
    name,
    readName: indexes.length > 1 || written?.dataStream === name ? (written?.name ?? name) : name,
    itemIndex: written?.name ?? name,
  };
  if (!entry) return { ...names, mappings: [], onFailure: "fail" };
  if (!written) throw invalid([missing(name)]);
  const { source = {} } = written;
  const hiddenOnes = hiddenFields(source, written.fields);
  const mappings = entry.embedding_mappings.map((mapping): TargetMapping => {
    const stored = embeddingField(written.fields, mapping.embedding_field);
    const made = embedderFor(written.meta, mapping, settings.models);
    const used = "embedder" in made ? made.embedder : mapping.model_name;
    const ofPassages = hasPassages(written.fields, mapping.embedding_field);
    const passages = passageMapping(mapping, ofPassages, modelOf(settings, used));
    const sources = mapping.src_fields.filter((field) => isHidden(source, field));
    // Documents that a rebuild copies may lack the text as well: it must end.
    const told = isRebuild(name) ? [] : mapping.src_fields;
    const unheld = told.map((field) => written.unheld.get(field)).find((reason) => reason !== undefined);
    const isEmbedding = isAmong(hiddenOnes, mapping.embedding_field);
    return {
      ...{ ...mapping, ...made, vectors: stored?.vectors, ...(passages && { passages }), unheld },
      ...((isEmbedding || sources.length > 0) && { hidden: { isEmbedding, sources } }),
    };
  });
  const wrong = mappings.flatMap((mapping) => fieldProblem(settings, written, mapping));
  if (wrong.length > 0) throw invalid(wrong.map((problem) => `${problem}; ${advice(written.name)}`));
  // A rebuild counts documents without embedding as rejected, and retries them.
  const onFailure = isRebuild(name) ? "fail" : entry.on_embedding_failure.write;
  return { ...names, mappings, isPiped: written.isPiped && !isRebuild(name), onFailure };
}

const modelOf = ({ models }: Pick<GatewaySettings, "models">, used: EmbedderName) =>
  models.find((one) => embedderName(one) === used);

/**
 * Returns the chunking of a mapping's texts; undefined without. For dense embeddings the index's field type decides
 * whether there are passages, so an index keeps its form until a rebuild applies hybrid_search.yaml.
 */
function passageMapping(
  { model_name, chunking }: EmbeddingMapping,
  ofPassages: boolean,
  model: GatewaySettings["models"][number] | undefined,
): PassageMapping | undefined {
  const isStored = MODELS[model_name].kind === "dense";
  if (isStored ? !ofPassages : !chunking) return undefined;
  const byCharacters = isByCharacters(model_name);
  return { ...(chunking ?? CHUNKING), byCharacters, isStored, madeBy: model ? passagesBy(model) : "" };
}

const ambiguous = (indexes: readonly TargetIndex[]): string =>
  `is an alias of ${indexes.length} indexes, none of which is its write index`;

const missing = (name: string): string =>
  `does not exist, and writes do not create it, because hybrid_search.yaml gives it embedding fields; ${advice(name)}`;

function advice(index: string): string {
  return (
    "create it with the schema that `relevance hybrid-search generate-semantic-index-schema " +
    `--index ${index} --schema_file_path FILE\` prints`
  );
}

/** Returns the problem of a mapping's field in the cluster, or an empty list. */
function fieldProblem(
  { models }: Pick<GatewaySettings, "models">,
  { name, fields }: IndexInfo,
  mapping: TargetMapping,
): string[] {
  const { embedding_field, model_name } = mapping;
  const used = "embedder" in mapping ? mapping.embedder : model_name;
  const model = modelOf({ models }, used);
  const dimension = model && "dimension" in model ? model.dimension : undefined;
  const wanted = dimension === undefined ? "rank_features or sparse_vector" : `knn_vector of dimension ${dimension}`;
  const field = embeddingField(fields, embedding_field);
  const types = dimension === undefined ? ["rank_features", "sparse_vector"] : ["knn_vector"];
  if (field && types.includes(field.type) && field.dimension === dimension) return [];
  const given = field
    ? `is ${field.type}${field.dimension === undefined ? "" : ` of dimension ${field.dimension}`}`
    : "is missing";
  return [`the embedding field ${embedding_field} of index ${name} ${given}, ${model_name} needs ${wanted}`];
}

function invalid(messages: readonly string[]): Error {
  return invalidRequest(messages.map((message): Issue => ({ path: "index", message })));
}
