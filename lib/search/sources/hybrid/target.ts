import {
  COMBINATION_FACTS,
  type Combination,
  HYBRID_DEFAULTS,
  type Normalization,
  type OnEmbeddingFailure,
  pairProblem,
} from "../../../platform/contract/search.ts";
import { ApiError, type Issue } from "../../../platform/http/error.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import type { Vectors } from "../../../settings/vectors.ts";
import type { EmbedderName } from "../../embeddings/embedder.ts";
import type { IndexSettings } from "../../gateway/settings.ts";
import type { SourceTools } from "../../gateway/tools.ts";
import { embedderFor } from "../../index-meta/index-meta.ts";
import type { Capabilities } from "../../opensearch/capabilities.ts";
import {
  embeddingField,
  hasPassages,
  type IndexInfo,
  NO_PIPELINE,
  type SearchPipeline,
} from "../../opensearch/index-catalog.ts";
import { resolveTarget, type Target, type TargetIndex } from "../../resolve/target.ts";
import type { StageEntry } from "../../stages/kinds.ts";
import { sharedStages } from "../../stages/table.ts";
import type { defaultPipeline } from "./default-pipeline.ts";
import type { AppliedHybridSettings } from "./request.ts";

/** The settings of an index without an entry in hybrid_search.yaml. */
const { candidates: DEFAULT_CANDIDATES, ...DEFAULT_SETTINGS } = HYBRID_DEFAULTS;

/** A technique's required capability, and the first version of the cluster with it. */
interface Need {
  capability: "rrf" | "zScore";
  since: string;
}

const NEEDS: Readonly<Record<Normalization | Combination, Need | undefined>> = {
  ...{ min_max: undefined, l2: undefined, z_score: { capability: "zScore", since: "3.0" } },
  ...{ arithmetic_mean: undefined, geometric_mean: undefined, harmonic_mean: undefined },
  rrf: { capability: "rrf", since: "2.19" },
};

/** Indexes and settings of a hybrid search. */
export interface HybridTarget extends StageEntry, Pick<IndexSettings, "settings"> {
  /** Whether a failed embedding of the query fails the search. */
  onFailure: OnEmbeddingFailure;
  /** The most hits that `from + size` may reach in all indexes. */
  maxResultWindow: number;
  /** The query's embedder by field, for fields whose vectors are of a known model. */
  embedders: ReadonlyMap<string, EmbedderName>;
  /** The other fields, each with advice for the user. */
  incompatible: ReadonlyMap<string, string>;
  /** Storage formats of fields, except for those that store embeddings unchanged. */
  stored: ReadonlyMap<string, Vectors>;
  /** Fields with embeddings (a thousand numbers each): the gateway's, and those that the cluster computes itself. */
  embeddings: readonly string[];
  /** Fields that have passages in all indexes. */
  passages: ReadonlySet<string>;
  hasPipeline: boolean;
  /** Whether the cluster wraps the query, see {@link Target}. */
  isWrapped: boolean;
  /** The pipeline for searches that name none; without processors if the cluster runs none. */
  pipeline: SearchPipeline;
  can: Capabilities;
}

/**
 * Returns the indexes behind a name, their settings and the cluster's capabilities. Throws `index_not_found`, and
 * `invalid_request` if one search cannot serve all indexes: their entries differ in more than the models.
 */
export async function hybridTarget(
  tools: Pick<SourceTools, "catalog" | "capabilities" | "settings">,
  name: string,
  deadline: Deadline,
): Promise<HybridTarget> {
  const { catalog, capabilities, settings } = tools;
  const [{ indexes, isWrapped }, can] = await Promise.all([
    resolveTarget(tools, name, deadline),
    capabilities(deadline),
  ]);
  const [first] = indexes;
  if (!first) throw new ApiError("index_not_found", `There is no index or alias ${name}.`);
  const other = indexes.find(({ entry }) => !areAlike(entry, first.entry));
  if (other) throw invalidRequest([{ path: "index", message: differing(name, first, other) }]);
  return {
    embedding_mappings: first.entry?.embedding_mappings ?? [],
    candidates: first.entry?.candidates ?? DEFAULT_CANDIDATES,
    settings: first.entry?.settings ?? DEFAULT_SETTINGS,
    ...sharedStages(indexes),
    onFailure: first.entry?.on_embedding_failure.query ?? "degrade",
    maxResultWindow: Math.min(...indexes.map((index) => index.maxResultWindow)),
    ...embeddersOf(indexes, settings),
    stored: storedOf(indexes),
    embeddings: embeddingsOf(indexes),
    passages: passagesIn(indexes),
    isWrapped,
    pipeline: await pipelineOf(catalog, name, indexes, deadline),
    can,
  };
}

/** Returns the index's default search pipeline; the parser is loaded only if there is one. */
async function pipelineOf(...args: Parameters<typeof defaultPipeline>): Promise<SearchPipeline> {
  const [, , indexes] = args;
  if (indexes.every(({ searchPipeline }) => searchPipeline === undefined)) return NO_PIPELINE;
  return (await import("./default-pipeline.ts")).defaultPipeline(...args);
}

/**
 * Returns the embedder of each field. All indexes are searched with one vector, so their vectors must be of one model.
 */
function embeddersOf(
  indexes: readonly TargetIndex[],
  { models }: SourceTools["settings"],
): Pick<HybridTarget, "embedders" | "incompatible"> {
  const embedders = new Map<string, EmbedderName>();
  const incompatible = new Map<string, string>();
  for (const { meta, entry } of indexes) {
    for (const mapping of entry?.embedding_mappings ?? []) {
      const { embedding_field: field } = mapping;
      const isById = (index: TargetIndex) => index.fields.get(field)?.vectors === "sparse_vector";
      if (indexes.some(isById) && !indexes.every(isById)) incompatible.set(field, MIXED_TOKENS);
      if (indexes.some(isOfPassages(field)) && !indexes.every(isOfPassages(field)))
        incompatible.set(field, MIXED_PASSAGES);
      const found = embedderFor(meta, mapping, models);
      if ("incompatible" in found) incompatible.set(field, found.incompatible);
      else if ((embedders.get(field) ?? found.embedder) !== found.embedder) incompatible.set(field, MIXED);
      else embedders.set(field, found.embedder);
    }
  }
  for (const field of incompatible.keys()) embedders.delete(field);
  return { embedders, incompatible };
}

/**
 * Returns the storage formats of fields in all indexes. A query with a byte vector also works on floats, since only
 * directions count. Rescoring requires that the vectors of all indexes are quantized.
 */
function storedOf(indexes: readonly TargetIndex[]): Map<string, Vectors> {
  const stored = new Map<string, Vectors>();
  for (const { embedding_field: field } of indexes[0]?.entry?.embedding_mappings ?? []) {
    const kinds = new Set(indexes.map(({ fields }) => embeddingField(fields, field)?.vectors));
    const [only] = kinds;
    if (kinds.has("byte")) stored.set(field, "byte");
    else if (only !== undefined && kinds.size === 1) stored.set(field, only);
  }
  return stored;
}

/** Returns the fields that contain embeddings in any of the indexes. */
function embeddingsOf(indexes: readonly TargetIndex[]): string[] {
  const own = (indexes[0]?.entry?.embedding_mappings ?? []).map(({ embedding_field }) => embedding_field);
  return [...new Set([...own, ...indexes.flatMap(({ fields }) => madeEmbeddings(fields))])];
}

const MIXED =
  "the indexes of this name have vectors of different models; rebuild them with `relevance index rebuild --embed`";

const MIXED_PASSAGES =
  "some indexes of this name have passages and others do not; rebuild these with `relevance index rebuild --embed`";

const isOfPassages =
  (field: string) =>
  ({ fields }: TargetIndex): boolean =>
    hasPassages(fields, field);

const passagesIn = (indexes: readonly TargetIndex[]): Set<string> =>
  new Set(
    (indexes[0]?.entry?.embedding_mappings ?? []).flatMap(({ embedding_field: field }) =>
      indexes.every(isOfPassages(field)) ? [field] : [],
    ),
  );

const MIXED_TOKENS = "some indexes of this name have sparse_vector and others rank_features, whose tokens differ";

/** Returns whether one search can serve indexes of both entries: they have the same fields and settings. */
function areAlike(one: IndexSettings | undefined, other: IndexSettings | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && searchedPart(one) === searchedPart(other));
}

/**
 * Returns the part of an entry that matters to a search: not what is embedded, nor the models, which {@link
 * embeddersOf} compares.
 */
const searchedPart = ({ embedding_mappings, candidates, settings, on_embedding_failure }: IndexSettings): string =>
  JSON.stringify([
    embedding_mappings.map(({ embedding_field }) => embedding_field).sort(),
    candidates,
    [settings.weights, settings.normalization, settings.combination],
    on_embedding_failure.query,
  ]);

function differing(name: string, one: TargetIndex, other: TargetIndex): string {
  const by = ({ name: index, entry }: TargetIndex) => `${index} (${entry ? `entry ${entry.index}` : "no entry"})`;
  return (
    `${name} stands for indexes whose entries in hybrid_search.yaml have different fields or settings, ` +
    `${by(one)} and ${by(other)}: search them one by one`
  );
}

/** Returns issues for requested features that the cluster's version does not support. */
export function versionIssues(can: Capabilities, from: number): Issue[] {
  if (!can.hybrid) {
    const message = `holds a hybrid query, which needs OpenSearch 2.12; the cluster is ${can.version}`;
    return [{ path: "search_request_template.query", message }];
  }
  if (from === 0 || can.pagination) return [];
  const message = `must be 0: pages of a hybrid query need OpenSearch 2.19; the cluster is ${can.version}`;
  return [{ path: "search_request_template.from", message }];
}

/** Returns issues for settings that the cluster does not support. */
export function settingsIssues(
  { normalization, combination, weights }: AppliedHybridSettings,
  can: Capabilities,
): Issue[] {
  const issue = (field: string, message: string | undefined) =>
    message === undefined ? [] : [{ path: `settings.${field}`, message }];
  const needs = (what: string, since: string) => `${what} needs OpenSearch ${since}; the cluster is ${can.version}`;
  const lacks = (technique: Normalization | Combination): string | undefined => {
    const need = NEEDS[technique];
    return need && !can[need.capability] ? needs(technique, need.since) : undefined;
  };
  const lacking = lacks(combination);
  if (lacking !== undefined) return issue("combination", lacking);
  if (COMBINATION_FACTS[combination].of === "ranks") {
    return weights !== null && !can.weightedRrf ? issue("weights", needs(`${combination} with weights`, "3.6")) : [];
  }
  const unknown = lacks(normalization);
  return unknown === undefined
    ? issue("combination", pairProblem({ normalization, combination }))
    : issue("normalization", unknown);
}

const VECTOR_TYPES: ReadonlySet<string> = new Set(["knn_vector", "rank_features", "sparse_vector"]);

/** Returns the fields in which the cluster stores embeddings that it computes itself, of texts or passages. */
function madeEmbeddings(fields: IndexInfo["fields"]): string[] {
  const folders = [...fields.values()].flatMap(({ madeIn }) => (madeIn === undefined ? [] : [`${madeIn}.`]));
  if (folders.length === 0) return [];
  return [...fields].flatMap(([name, { type }]) =>
    VECTOR_TYPES.has(type) && folders.some((folder) => name.startsWith(folder)) ? [name] : [],
  );
}
