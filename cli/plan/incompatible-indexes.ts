import { previousModels, referencedModels } from "../../lib/infrastructure/endpoints.ts";
import type { Endpoint } from "../../lib/platform/http/access.ts";
import { vectorsOf } from "../../lib/search/index/semantic-schema.ts";
import { readIndexMeta } from "../../lib/search/index-meta/index-meta.ts";
import { entryOf, findMapping } from "../../lib/search/resolve/entry.ts";
import type { SearchGateway } from "../../lib/settings/configuration.ts";
import { isEndpointModel, MODELS, type ModelName } from "../../lib/settings/embedding-models.ts";
import { endpointsOf, isDeployed } from "../../lib/settings/model-sources.ts";
import type { Chunking } from "../../lib/settings/passages.ts";
import { Relevance } from "../../packages/clients/typescript/src/relevance.ts";
import { type DeployedApi, findDeployedApi, keyValueFor } from "../deployed-api.ts";
import type { Project } from "../project.ts";

type Embedding = Pick<SearchGateway, "hybridQueries" | "models">;

/** An index of the cluster, and what its description says about its vectors. */
export interface StoredIndex {
  index: string;
  /** Its aliases, and the data stream that it belongs to. */
  aliases: readonly string[];
  meta: unknown;
}

/** Parts of the configuration whose vectors the planned one makes differently. */
interface Changed {
  entry: string;
  field: string;
  /** The model before, if it is another one: stored vectors cannot be compared with those of the planned one. */
  from?: Model;
  before: string;
  after: string;
}

/** A model, and what tells its vectors from those of others. */
interface Model {
  name: ModelName;
  vectors: string;
}

/** Returns the embedding settings whose change makes planned vectors incompatible with deployed ones. */
export function changedEmbeddings(before: Embedding, after: Embedding): Changed[] {
  return after.hybridQueries.flatMap(({ index: entry, embedding_mappings }) => {
    const old = findMapping(before.hybridQueries, entry)?.embedding_mappings ?? [];
    return embedding_mappings.flatMap(({ embedding_field: field, model_name, src_fields, chunking }): Changed[] => {
      const made = old.find((one) => one.embedding_field === field);
      if (!made) return [];
      const from = { name: made.model_name, vectors: vectorsOf(made.model_name, before.models) };
      const [was, is] = [textOf(from), textOf({ name: model_name, vectors: vectorsOf(model_name, after.models) })];
      if (was !== is) return [{ entry, field, from, before: was, after: is }];
      const [sources, to] = [sourcesOf(made), sourcesOf({ src_fields, chunking })];
      return sources === to ? [] : [{ entry, field, before: sources, after: to }];
    });
  });
}

/**
 * Returns a note for each embedding field that stored documents have vectors of another model or of other source fields
 * in, with the names of these indexes if they are known.
 */
export function incompatibleNotes(
  changed: readonly Changed[],
  after: Embedding,
  indexes: readonly StoredIndex[] | undefined,
): string[] {
  return changed.map(({ entry, field, from, before, after: wanted }) => {
    const incompatible = indexes?.flatMap((stored) =>
      isIncompatible(stored, { entry, field }, after) ? [stored.index] : [],
    );
    const named = incompatible === undefined ? `Indexes of ${entry}` : incompatible.join(", ");
    if (named === "") return `${field} of ${entry}: ${before} → ${wanted}. No index has vectors of it yet`;
    const until = `until \`relevance index rebuild --index ${entry} --embed\``;
    if (!from) {
      return (
        `${named}: ${field} was made of ${before}, and new documents will embed ${wanted}. Stored vectors stay as they ` +
        `are, and are still searched, ${until}`
      );
    }
    const has = `${named}: ${field} has vectors of ${before}, and the configured model will be ${wanted}.`;
    return isKept(from, after)
      ? `${has} Queries and documents of such an index are embedded by the old model ${until}`
      : `${has} After the deployment hybrid searches leave ${field} out (degraded), and bulk requests store documents ` +
          `without it, ${until}. ${keepAdvice(from)}`;
  });
}

/** Returns what embeddings are made of, in words. */
function sourcesOf({
  src_fields,
  chunking,
}: {
  src_fields: readonly string[];
  chunking?: Chunking | undefined;
}): string {
  const sources = src_fields.join(", ");
  if (!chunking) return sources;
  const { tokens, overlap, max_passages: most } = chunking;
  return `${sources} in at most ${most} passages of ${tokens} tokens (overlap ${overlap})`;
}

const textOf = ({ name, vectors }: Model) => `${name} (${vectors})`;

/** Returns whether a configuration has a model, for mappings or as a previous one. */
function isKept({ name, vectors }: Model, gateway: Embedding): boolean {
  const { models } = gateway;
  return (
    (referencedModels(gateway).includes(name) && vectorsOf(name, models) === vectors) ||
    (previousModels(gateway).includes(name) && vectorsOf(name, models.previous ?? {}) === vectors)
  );
}

const keepAdvice = ({ name }: Model) =>
  MODELS[name].kind === "sparse"
    ? `${name} cannot be kept beside another revision of it`
    : `To keep the old model until then, copy its deployed section to previous.${name} in model.yaml`;

/** Returns a note for each previous model: which indexes need it, what it costs, and when it can go. */
export function previousNotes(gateway: Embedding, indexes: readonly StoredIndex[] | undefined): string[] {
  const previous = gateway.models.previous ?? {};
  return previousModels(gateway).map((name) => {
    const model = { name, vectors: vectorsOf(name, previous) };
    const instances = (isEndpointModel(name) ? endpointsOf(name, previous) : [])
      .filter(isDeployed)
      .map(({ section }) => `${section.initial_instance_count} × ${section.instance_type}, billed by the hour`);
    const kept = `previous.${name} in model.yaml keeps ${[textOf(model), ...instances].join(": ")}`;
    if (!indexes)
      return `${kept}. The plan could not find out which indexes have its vectors: \`relevance index list\` shows them`;
    const using = indexes.filter(({ meta }) =>
      Object.values(readIndexMeta(meta)?.embeddings ?? {}).some(
        (made) => made.model === name && made.revision === model.vectors,
      ),
    );
    if (using.length === 0) return `${kept}. No index has its vectors any more: remove the section`;
    const named = using.map(({ index }) => index).join(", ");
    return `${kept} for ${named}. Remove the section when these are rebuilt (--embed) or deleted`;
  });
}

function isIncompatible(
  { index, aliases, meta }: StoredIndex,
  { entry, field }: Pick<Changed, "entry" | "field">,
  { hybridQueries, models }: Embedding,
): boolean {
  const described = readIndexMeta(meta);
  const made = described?.embeddings[field];
  const own = entryOf(hybridQueries, { name: index, aliases, describedEntry: described?.entry });
  const mapping = own?.embedding_mappings.find((one) => one.embedding_field === field);
  if (own?.index !== entry || !mapping) return false;
  // An index that does not say what made its vectors may have those of the deployed configuration.
  if (!made) return Object.keys(described?.embeddings ?? {}).length === 0;
  return (
    made.model !== mapping.model_name ||
    made.revision !== vectorsOf(mapping.model_name, models) ||
    sourcesOf(made) !== sourcesOf(mapping)
  );
}

const CALL_MS = 10_000;

/** The parts of the cluster's index description that are read. */
interface Described {
  aliases?: object;
  data_stream?: string;
  mappings?: { _meta?: unknown };
}

/** Reads what the indexes say about their vectors, through the deployed gateway. Returns undefined if that fails. */
async function storedIndexes(
  { config, env, local }: Project,
  api: DeployedApi | undefined,
): Promise<StoredIndex[] | undefined> {
  const keyFor = (endpoint: Endpoint) => api && keyValueFor(api, config.api.keys, [endpoint]);
  const key = keyFor("administration") ?? keyFor("raw-backend");
  // Another endpoint than AWS's does not serve APIs, unless it is the local account's.
  const url = env.AWS_ENDPOINT_URL && !local ? undefined : api?.url;
  if (key === undefined || url === undefined) return undefined;
  try {
    const client = new Relevance({ url, key, retries: 0, timeoutMs: CALL_MS });
    const described = (await client.raw("GET", "/*,-.*")) as Record<string, Described>;
    return Object.entries(described).map(([index, { aliases = {}, data_stream: stream, mappings }]) => ({
      index,
      aliases: [...Object.keys(aliases), ...(stream === undefined ? [] : [stream])],
      meta: mappings?._meta,
    }));
  } catch {
    return undefined;
  }
}

/** Returns the notes of a plan about indexes that will no longer fit, given the deployed configuration. */
export async function incompatibleIndexNotes(project: Project, deployed: SearchGateway | undefined): Promise<string[]> {
  const planned = project.config.searchGateway;
  if (!planned || !deployed) return [];
  const changed = changedEmbeddings(deployed, planned);
  if (changed.length === 0 && previousModels(planned).length === 0) return [];
  const indexes = await storedIndexes(project, await findDeployedApi(project, "search-gateway"));
  return [...incompatibleNotes(changed, planned, indexes), ...previousNotes(planned, indexes)];
}
