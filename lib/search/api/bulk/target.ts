import type { Issue } from "../../../core/http/error.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import type { Deadline } from "../../../core/resilience/deadline.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { type EmbeddingMapping, type GatewaySettings, type IndexSettings, settingsOf } from "../../gateway/settings.ts";
import type { IndexInfo } from "../../opensearch/index-catalog.ts";

/** Where a request writes, and what is embedded on the way. */
export interface Target {
  /** The name in the request: writes go to it, so that an alias keeps its routing. */
  name: string;
  /** The name that documents are read from: of an alias with several indexes the one it writes to. */
  readName: string;
  /** The name that items will show. */
  itemIndex: string;
  mappings: readonly EmbeddingMapping[];
  onFailure: IndexSettings["on_embedding_failure"]["write"];
}

/**
 * Resolves the index of a request. For one with embedding mappings the cluster's own mapping is checked: it would
 * take vectors into a missing or wrong field without complaint, as plain numbers that no search finds. Throws
 * `invalid_request` naming each such field. An index without mappings is left to the cluster, which may create it.
 */
export async function resolveTarget(services: GatewayServices, name: string, deadline: Deadline): Promise<Target> {
  const { settings, catalog } = services;
  if (settings.indexes.length === 0) return { name, readName: name, itemIndex: name, mappings: [], onFailure: "fail" };
  const indexes = await catalog.resolve(name, deadline);
  const written = indexes.length === 1 ? indexes[0] : indexes.find(({ isWriteIndex }) => isWriteIndex);
  const names = {
    name,
    readName: indexes.length > 1 ? (written?.name ?? name) : name,
    itemIndex: written?.name ?? name,
  };

  const found = exact(settings.indexes, name) ?? settingsOf(settings, written?.name ?? name);
  if (!found) {
    if (!written && indexes.some((index) => settingsOf(settings, index.name))) {
      throw invalid([`is an alias of ${indexes.length} indexes of which none is its write index`]);
    }
    return { ...names, mappings: [], onFailure: "fail" };
  }
  if (!written) throw invalid([missing(name, indexes)]);
  const wrong = found.embedding_mappings.flatMap((mapping) => fieldProblem(settings, written, mapping));
  if (wrong.length > 0) throw invalid(wrong.map((problem) => `${problem}; ${advice(written.name)}`));
  return { ...names, mappings: found.embedding_mappings, onFailure: found.on_embedding_failure.write };
}

/** An entry of an alias's own name counts before that of the index behind it. */
function exact(entries: readonly IndexSettings[], name: string): IndexSettings | undefined {
  return entries.find((entry) => entry.index === name);
}

function missing(name: string, indexes: readonly IndexInfo[]): string {
  if (indexes.length > 1) return `is an alias of ${indexes.length} indexes of which none is its write index`;
  return (
    `does not exist, and has embedding fields by hybrid_search.yaml, so it is not created by writing to it; ` +
    advice(name)
  );
}

function advice(index: string): string {
  return (
    "create it with the schema that `relevance hybrid-search generate-semantic-index-schema " +
    `--index ${index} --schema_file_path FILE\` prints`
  );
}

/** What is wrong with the field of a mapping in the cluster, or nothing. */
function fieldProblem(
  { models }: Pick<GatewaySettings, "models">,
  { name, fields }: IndexInfo,
  { embedding_field, model_name }: EmbeddingMapping,
): string[] {
  const model = models.find((one) => one.name === model_name);
  const dimension = model && "dimension" in model ? model.dimension : undefined;
  const wanted = dimension === undefined ? "rank_features" : `knn_vector of dimension ${dimension}`;
  const field = fields.get(embedding_field);
  if (field?.type === (dimension === undefined ? "rank_features" : "knn_vector") && field.dimension === dimension)
    return [];
  const given = field
    ? `is ${field.type}${field.dimension === undefined ? "" : ` of dimension ${field.dimension}`}`
    : "is missing";
  return [`the embedding field ${embedding_field} of index ${name} ${given}, ${model_name} needs ${wanted}`];
}

function invalid(messages: readonly string[]): Error {
  return invalidRequest(messages.map((message): Issue => ({ path: "index", message })));
}
