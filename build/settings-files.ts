import { hasSuggestions, previousModels, referencedModels, rerankModels } from "../lib/infrastructure/endpoints.ts";
import type { FunctionName, Names } from "../lib/platform/naming/names.ts";
import type { EtlSettings } from "../lib/recommendation/etl/tasks.ts";
import {
  definitionsOf,
  realtimeSyncSettings,
  recommendationSettings,
} from "../lib/recommendation/service/settings-of.ts";
import { trainingSettings } from "../lib/recommendation/training/settings.ts";
import type { ModelSettings } from "../lib/search/embeddings/embedder.ts";
import { readModelFiles } from "../lib/search/embeddings/sparse-model.ts";
import { PRUNE_RATIO } from "../lib/search/embeddings/sparse-vector.ts";
import { BGE_QUERY_PREFIX } from "../lib/search/embeddings/text-embeddings-inference.ts";
import type { EventsSettings, GatewaySettings } from "../lib/search/gateway/settings.ts";
import type { SuggestionsSettings } from "../lib/search/suggest/run.ts";
import { accessSettings } from "../lib/settings/access.ts";
import type { Configuration, SearchGateway } from "../lib/settings/configuration.ts";
import { dimensionOf, type EndpointModel, MODELS, type ModelName } from "../lib/settings/embedding-models.ts";
import { eventTypeChoice } from "../lib/settings/event-types.ts";
import { loggingSettings } from "../lib/settings/logging.ts";
import type { Models } from "../lib/settings/model.ts";
import {
  bedrockModelId,
  endpointName,
  endpointsOf,
  ownRepository,
  vectorsOfEndpoint,
} from "../lib/settings/model-sources.ts";
import { RERANKER } from "../lib/settings/rerank-models.ts";
import { BuildError } from "./error.ts";
import type { BuildOptions } from "./functions.ts";

/** Settings that are not in the YAML files. */
interface FilesOptions {
  names: Names;
  /** Folder of the sparse model's files, which api-router's archive contains if a mapping uses that model. */
  models?: string | undefined;
}

/** Returns the functions that a configuration deploys. */
export function functionsOf({ searchGateway, recommendation }: Configuration): FunctionName[] {
  return [
    ...(searchGateway ? (["api-router", "log-handler", "search-events"] as const) : []),
    ...(searchGateway && hasSuggestions(searchGateway) ? (["suggestions"] as const) : []),
    ...(searchGateway?.opensearch.auto_scaling ? (["cluster-scaler"] as const) : []),
    ...(recommendation
      ? ([
          "recommendation-api",
          "recommendation-log-handler",
          "realtime-sync",
          "personalize-manager",
          "etl",
          "training",
        ] as const)
      : []),
  ];
}

/** Returns whether api-router computes sparse query vectors, which needs the model's files. */
export function usesSparseModel({ searchGateway }: Pick<Configuration, "searchGateway">): boolean {
  return searchGateway !== undefined && referencedModels(searchGateway).includes("sparse_v3");
}

/**
 * Returns the extra files of the deployed functions' archives: settings and model files. Throws ModelFilesError if
 * model files are missing.
 */
export async function functionFiles(
  configuration: Configuration,
  { models, ...options }: FilesOptions,
): Promise<NonNullable<BuildOptions["files"]>> {
  const settings = Object.entries(settingsOf(configuration, options));
  const files = Object.fromEntries(
    settings.map(([name, value]) => [name, { "config.json": `${JSON.stringify(value, undefined, 2)}\n` }]),
  );
  if (models === undefined || !usesSparseModel(configuration)) return files;
  return { ...files, "api-router": { ...(await readModelFiles(models)), ...files["api-router"] } };
}

/** Returns the `config.json` of each deployed function that has one. */
export function settingsOf(
  configuration: Configuration,
  { names }: Omit<FilesOptions, "models">,
): Partial<Record<FunctionName, object>> {
  const { searchGateway, recommendation } = configuration;
  return {
    ...(searchGateway && {
      "api-router": gatewaySettings(configuration, { names }),
      "search-events": eventsSettings(configuration, { names }),
    }),
    ...(searchGateway &&
      hasSuggestions(searchGateway) && {
        suggestions: {
          indexes: searchGateway.hybridQueries.flatMap(({ index, suggest }) => (suggest ? [{ index, suggest }] : [])),
          logging: loggingSettings(configuration, names),
        } satisfies SuggestionsSettings,
      }),
    ...(recommendation && {
      "recommendation-api": recommendationSettings(configuration, recommendation, names),
      "realtime-sync": realtimeSyncSettings(configuration, recommendation),
      etl: {
        ...definitionsOf(recommendation),
        event_types: eventTypeChoice(recommendation),
      } satisfies EtlSettings,
      training: trainingSettings(configuration, recommendation),
    }),
  };
}

/** Simultaneous calls of one function instance to an endpoint: enough to keep one or two instances busy. */
const ENDPOINT_CONCURRENCY = 4;

/** The same of documents alone where queries need the endpoint too: one is computed while another one waits. */
const SHARED_DOCUMENT_CONCURRENCY = 2;

/** Bedrock's ids name the version of a model. */
const BEDROCK_REVISION = "main";

/** Settings that are not in the YAML files. */
interface SettingsOptions {
  names: Pick<Names, "endpoint" | "userIdKeyParameter" | "tokenSecret">;
}

/**
 * Returns `config.json` of api-router: the part of a configuration that it uses. Throws BuildError without a gateway.
 */
export function gatewaySettings(configuration: Configuration, options: SettingsOptions): GatewaySettings {
  const { project, api, searchGateway } = configuration;
  if (!searchGateway) {
    throw new BuildError("api-router needs the search gateway: add vpc and opensearch to project.yaml");
  }
  const { models } = searchGateway;
  const { campaign_arn, ...ranking } = api.personalized_ranking;
  return asWritten({
    project: project.project_name,
    max_bulk_bytes: searchGateway.opensearch.max_bulk_bytes,
    indexes: searchGateway.hybridQueries.map(({ embedding_mappings, ...entry }) => ({
      ...entry,
      // The gateway reads in the cluster how an index stores vectors.
      embedding_mappings: embedding_mappings.map(({ vectors: _, ...mapping }) => mapping),
    })),
    templates: [...searchGateway.templates],
    experiments: [...searchGateway.experiments],
    has_rules: searchGateway.rules && true,
    models: [
      ...referencedModels(searchGateway).map((name) => modelSettings(name, models, options)),
      ...previousModels(searchGateway).map((name) => ({
        ...modelSettings(name, models.previous ?? {}, options),
        previous: true as const,
      })),
    ],
    reranker_endpoint: rerankerEndpoint(searchGateway, options),
    raw_backend_deny: api.raw_backend.deny ?? [],
    ...accessSettings(api, options.names),
    personalized_ranking: campaign_arn === undefined ? undefined : { campaign_arn, ...ranking },
    logging: loggingSettings(configuration, options.names),
    cors: api.cors,
  });
}

/** Returns settings as their file has them: without keys that are undefined. */
const asWritten = <Settings>(settings: Settings): Settings => JSON.parse(JSON.stringify(settings));

function rerankerEndpoint(gateway: SearchGateway, { names }: SettingsOptions): string | undefined {
  const [endpoint] = rerankModels(gateway).includes(RERANKER) ? endpointsOf(RERANKER, gateway.models) : [];
  return endpoint && endpointName(endpoint, names);
}

/** Returns `config.json` of search-events. */
function eventsSettings(configuration: Configuration, options: SettingsOptions): EventsSettings {
  const { project, api } = configuration;
  return {
    project: project.project_name,
    ...accessSettings(api, options.names),
    logging: loggingSettings(configuration, options.names),
    ...(api.cors && { cors: api.cors }),
  };
}

function modelSettings(name: ModelName, models: Models, { names }: SettingsOptions): ModelSettings {
  switch (name) {
    case "sparse_v3":
      return { ...onEndpoint(name), prune_ratio: models[name]?.prune_ratio ?? PRUNE_RATIO };
    case "dense_large_en_v1_5": {
      const { query_prefix, passage_prefix = "", protocol, query_timeout_ms } = models[name] ?? {};
      const dimension = models[name]?.dimension ?? MODELS[name].dimension;
      const isBuiltIn = dimension === MODELS[name].dimension && ownRepository(models[name]) === undefined && !protocol;
      return {
        ...onEndpoint(name),
        ...{ dimension, query_timeout_ms, passage_prefix, protocol },
        query_prefix: query_prefix ?? (isBuiltIn ? BGE_QUERY_PREFIX : ""),
      };
    }
    default: {
      const { query_concurrency = ENDPOINT_CONCURRENCY, ...section } = models[name] ?? {};
      const model_id = bedrockModelId(name, models);
      const dimension = dimensionOf(name, models) ?? 0;
      return { ...section, name, model_id, revision: BEDROCK_REVISION, concurrency: query_concurrency, dimension };
    }
  }

  function onEndpoint<Name extends EndpointModel>(model: Name) {
    const [endpoint, documents] = endpointsOf(model, models);
    if (!endpoint) throw new BuildError(`model.yaml has no section ${model}`);
    const shared = !documents && MODELS[model].kind === "dense";
    const { document_concurrency, document_timeout_ms } = models[model] ?? {};
    return {
      name: model,
      endpoint_name: endpointName(endpoint, names),
      document_endpoint_name: documents && endpointName(documents, names),
      revision: vectorsOfEndpoint(model, models),
      concurrency: ENDPOINT_CONCURRENCY,
      document_concurrency: document_concurrency ?? (shared ? SHARED_DOCUMENT_CONCURRENCY : undefined),
      document_timeout_ms,
    };
  }
}
