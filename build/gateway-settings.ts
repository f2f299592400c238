import type { Configuration, SearchGateway } from "../lib/config/configuration.ts";
import { MODELS, type ModelName } from "../lib/config/embedding-models.ts";
import type { Names } from "../lib/core/naming/names.ts";
import { referencedModels } from "../lib/infrastructure/endpoints.ts";
import type { GatewaySettings } from "../lib/search/gateway/settings.ts";
import { BuildError } from "./error.ts";

/** Calls at a time of one function instance to a model on an endpoint of the project: an endpoint of one or two
 * instances is busy with them. Hosted models have `query_concurrency`. */
const ENDPOINT_CONCURRENCY = 4;

/** What cannot be told from the YAML files. */
export interface SettingsOptions {
  names: Pick<Names, "endpoint" | "userIdKeyParameter">;
  /** Dimensions of dense models that are not the models' own: servers of the user's choice in the local stack. */
  dimensions?: Readonly<Partial<Record<ModelName, number>>>;
}

/** `config.json` of api-router: the part of a configuration that it works with. Throws BuildError without a gateway. */
export function gatewaySettings(configuration: Configuration, options: SettingsOptions): GatewaySettings {
  const { project, api, searchGateway } = configuration;
  if (!searchGateway) {
    throw new BuildError("api-router needs the search gateway: add vpc and opensearch to project.yaml");
  }
  const { campaign_arn, ...ranking } = api.personalized_ranking;
  return {
    project: project.project_name,
    max_bulk_bytes: searchGateway.opensearch.max_bulk_bytes,
    indexes: searchGateway.hybridQueries.map(({ index, embedding_mappings, on_embedding_failure, candidates }) => ({
      index,
      embedding_mappings: [...embedding_mappings],
      on_embedding_failure,
      candidates,
    })),
    models: referencedModels(searchGateway).map((name) => modelSettings(name, searchGateway, options)),
    raw_backend_deny: api.raw_backend.deny ?? [],
    ...(campaign_arn !== undefined && { personalized_ranking: { campaign_arn, ...ranking } }),
    logging: {
      user_id: api.logging.user_id,
      query_text: api.logging.query_text,
      ...(api.logging.user_id === "hmac" && { hmac_secret_arn: options.names.userIdKeyParameter() }),
    },
    ...(api.cors && { cors: api.cors }),
  };
}

function modelSettings(
  name: ModelName,
  { models }: SearchGateway,
  { names, dimensions = {} }: SettingsOptions,
): GatewaySettings["models"][number] {
  const section: { revision?: string | undefined; query_concurrency?: number; prune_ratio?: number } =
    models[name] ?? {};
  const dimension = dimensions[name];
  const facts = MODELS[name];
  return {
    name,
    ...(facts.host === "sagemaker" ? { endpoint_name: names.endpoint(name) } : { model_id: facts.source }),
    revision: section.revision ?? "main",
    concurrency: section.query_concurrency ?? ENDPOINT_CONCURRENCY,
    ...(section.prune_ratio !== undefined && { prune_ratio: section.prune_ratio }),
    ...(dimension !== undefined && { dimension }),
  };
}
