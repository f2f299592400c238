import type { Configuration } from "../lib/config/configuration.ts";
import type { FunctionName, Names } from "../lib/core/naming/names.ts";
import { referencedModels } from "../lib/infrastructure/endpoints.ts";
import type { Definitions } from "../lib/recommendation/records/layout.ts";
import { realtimeSyncSettings, recommendationSettings } from "../lib/recommendation/service/settings-of.ts";
import { trainingSettings } from "../lib/recommendation/training/settings.ts";
import { readModelFiles } from "../lib/search/embeddings/sparse-model.ts";
import type { BuildOptions } from "./functions.ts";
import { eventsSettings, gatewaySettings } from "./gateway-settings.ts";

/** Settings that are not in the YAML files. */
export interface FilesOptions {
  names: Names;
  /** Folder of the sparse model's files, which api-router's archive contains if a mapping uses that model. */
  models?: string | undefined;
}

/** Returns the functions that a configuration deploys. */
export function functionsOf({ searchGateway, recommendation }: Configuration): FunctionName[] {
  return [
    ...(searchGateway ? (["api-router", "log-handler", "search-events"] as const) : []),
    ...(searchGateway?.opensearch.auto_scaling ? (["cluster-scaler"] as const) : []),
    ...(recommendation
      ? (["recommendation-api", "realtime-sync", "personalize-manager", "etl", "training"] as const)
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
    ...(recommendation && {
      "recommendation-api": recommendationSettings(configuration, recommendation, names),
      "realtime-sync": realtimeSyncSettings(configuration, recommendation),
      etl: { schemas: recommendation.schemas, etl: recommendation.etl } satisfies Definitions,
      training: trainingSettings(configuration, recommendation),
    }),
  };
}
