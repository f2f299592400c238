import type { SearchGateway } from "../../lib/config/configuration.ts";
import { parseJson } from "../../lib/core/json/values.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { findMapping } from "../../lib/search/gateway/find-mapping.ts";
import { readIndexMeta, vectorsOf } from "../../lib/search/index-meta/index-meta.ts";
import { type DeployedApi, findDeployedApi, keyValueFor } from "../deployed-api.ts";
import type { Session } from "../session.ts";

type Embedding = Pick<SearchGateway, "hybridQueries" | "models">;

/** An index of the cluster, and what its description says about its vectors. */
export interface StoredIndex {
  index: string;
  meta: unknown;
}

/** Parts of the configuration whose vectors the planned one makes differently. */
interface Changed {
  entry: string;
  field: string;
  /** Whether the model is another one, so that stored vectors cannot be compared with those of queries. */
  model: boolean;
  before: string;
  after: string;
}

/** Returns what makes other vectors in the planned configuration than in the deployed one. */
export function changedEmbeddings(before: Embedding, after: Embedding): Changed[] {
  return after.hybridQueries.flatMap(({ index: entry, embedding_mappings }) => {
    const old = findMapping(before.hybridQueries, entry)?.embedding_mappings ?? [];
    return embedding_mappings.flatMap(({ embedding_field: field, model_name, src_fields }): Changed[] => {
      const made = old.find((one) => one.embedding_field === field);
      if (!made) return [];
      const [was, is] = [
        `${made.model_name} (${vectorsOf(made.model_name, before.models)})`,
        `${model_name} (${vectorsOf(model_name, after.models)})`,
      ];
      if (was !== is) return [{ entry, field, model: true, before: was, after: is }];
      const [from, to] = [made.src_fields.join(", "), src_fields.join(", ")];
      return from === to ? [] : [{ entry, field, model: false, before: from, after: to }];
    });
  });
}

/**
 * Returns a note for each embedding field that stored documents have vectors of another model or of other source fields
 * in, with the names of these indexes if they are known.
 */
export function unfitNotes(
  changed: readonly Changed[],
  after: Embedding,
  indexes: readonly StoredIndex[] | undefined,
): string[] {
  return changed.map(({ entry, field, model, before, after: wanted }) => {
    const unfit = indexes?.flatMap(({ index, meta }) =>
      isUnfit({ index, meta }, { entry, field }, after) ? [index] : [],
    );
    const named = unfit === undefined ? `Indexes of ${entry}` : unfit.join(", ");
    if (named === "") return `${field} of ${entry}: ${before} → ${wanted}. No index has vectors of it yet`;
    const until = `until \`relevance index rebuild --index ${entry} --embed\``;
    return model
      ? `${named}: ${field} has vectors of ${before}, and queries will be embedded by ${wanted}. After the deployment hybrid ` +
          `searches leave ${field} out (degraded), and bulk requests store documents without it, ${until}. The old ` +
          "model is not kept, so it costs nothing"
      : `${named}: ${field} was made of ${before}, and new documents will embed ${wanted}. Stored vectors stay as they ` +
          `are, and are still searched, ${until}`;
  });
}

function isUnfit(
  { index, meta }: StoredIndex,
  { entry, field }: Pick<Changed, "entry" | "field">,
  { hybridQueries, models }: Embedding,
): boolean {
  const described = readIndexMeta(meta);
  const made = described?.embeddings[field];
  const mapping = hybridQueries
    .find((one) => one.index === entry)
    ?.embedding_mappings.find((one) => one.embedding_field === field);
  if (!mapping || (described?.entry !== entry && findMapping(hybridQueries, index)?.index !== entry)) return false;
  // An index that does not say what made its vectors may have those of the deployed configuration.
  if (!made) return described === undefined;
  return (
    made.model !== mapping.model_name ||
    made.revision !== vectorsOf(mapping.model_name, models) ||
    made.src_fields.join() !== mapping.src_fields.join()
  );
}

const CALL_MS = 10_000;

/** Reads what the indexes say about their vectors, through the deployed gateway. Returns undefined if that fails. */
async function storedIndexes(
  { config, env }: Session,
  api: DeployedApi | undefined,
): Promise<StoredIndex[] | undefined> {
  const key = api && keyValueFor(api, config.api.keys, ["raw-backend"]);
  // A local AWS endpoint does not serve APIs itself.
  const url = env.AWS_ENDPOINT_URL ? env.RELEVANCE_API_URL : api?.url;
  if (key === undefined || url === undefined) return undefined;
  try {
    const answer = await fetch(`${url}/raw-backend/*/_mapping`, {
      headers: { "x-api-key": key },
      signal: AbortSignal.timeout(CALL_MS),
    });
    if (!answer.ok) return undefined;
    const mappings = parseJson(await answer.text()) as Record<string, { mappings?: { _meta?: unknown } }>;
    return Object.entries(mappings)
      .filter(([index]) => !index.startsWith("."))
      .map(([index, { mappings: { _meta: meta } = {} }]) => ({ index, meta }));
  } catch {
    return undefined;
  }
}

/** Returns the notes of a plan about indexes that will no longer fit, given the deployed configuration. */
export async function unfitIndexNotes(
  session: Session,
  names: Names,
  deployed: SearchGateway | undefined,
): Promise<string[]> {
  const planned = session.config.searchGateway;
  if (!planned || !deployed) return [];
  const changed = changedEmbeddings(deployed, planned);
  if (changed.length === 0) return [];
  const api = await findDeployedApi(session, names, "search-gateway");
  return unfitNotes(changed, planned, await storedIndexes(session, api));
}
