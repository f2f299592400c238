import { type Names, shortHash } from "../platform/naming/names.ts";
import { type BedrockModel, ENDPOINT_MODELS, type EndpointModel, MODELS } from "./embedding-models.ts";
import type { Models } from "./model.ts";
import { RERANKER } from "./rerank-models.ts";

/** The models that run on endpoints of the project, or on ones that exist: sections of model.yaml. */
export type ServedModel = EndpointModel | typeof RERANKER;

/** All of them. */
export const SERVED_MODELS: readonly ServedModel[] = [...ENDPOINT_MODELS, RERANKER];

/** The keys of a model's section in model.yaml. */
export type EndpointSection = NonNullable<Models[ServedModel]>;

/**
 * Commits of the built-in models' repositories on the Hugging Face Hub, which endpoints serve unless model.yaml names
 * another revision. Source: the model registry of MTEB (embeddings-benchmark/mteb), `mteb/models`, field `revision`.
 */
const REVISIONS: Readonly<Record<EndpointModel, string>> = {
  dense_large_en_v1_5: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
  sparse_v3: "babf71f3c48695e2e53a978208e8aba48335e3c0",
};

/** Returns the repository of an endpoint's model: `model_id` of model.yaml, or the built-in one. No reranker is built in. */
export function repositoryOf(name: ServedModel, { [name]: section }: Models): string {
  return ownRepository(section) ?? (name === RERANKER ? "" : MODELS[name].source);
}

/** Returns `model_id`: the repository of a model of the user's own. */
export function ownRepository(section: EndpointSection | undefined): string | undefined {
  return section && "model_id" in section ? section.model_id : undefined;
}

/**
 * Returns the identity of the files of an endpoint's model: the revision of model.yaml, else the place of its files,
 * else the built-in model's pinned commit.
 */
export function revisionOf(name: ServedModel, { [name]: section }: Models): string {
  const pinned = name === RERANKER ? "" : REVISIONS[name];
  return section?.revision ?? section?.endpoint_name ?? section?.model_data ?? pinned;
}

/**
 * Returns an id that changes when the endpoint model's vectors do: the file revision, plus the repository for a user's
 * own model, because `main` is not unique.
 */
export function vectorsOfEndpoint(name: ServedModel, models: Models): string {
  return [ownRepository(models[name]), revisionOf(name, models)].filter((part) => part !== undefined).join("@");
}

/** Returns the revision to download from the Hub. Undefined for a model of the user's own without one. */
export function hubRevisionOf(name: ServedModel, { [name]: section }: Models): string | undefined {
  const pinned = name === RERANKER || ownRepository(section) !== undefined ? undefined : REVISIONS[name];
  return section?.revision ?? pinned;
}

/** Returns the id with which Bedrock is called: a model, or an inference profile. */
export function bedrockModelId(name: BedrockModel, { ext_embed_bedrock: own }: Models): string {
  if (name !== "ext_embed_bedrock") return MODELS[name].source;
  if (!own) throw new Error("ext_embed_bedrock has no section in model.yaml");
  return own.model_id;
}

/** An endpoint of SageMaker that embeds or reranks for the gateway. */
export interface ModelEndpoint {
  model: ServedModel;
  /**
   * The part of its names that is its own. It has a hash of what tells the model's vectors from others: another model gets
   * another endpoint, so that none changes its vectors under a gateway that does not know yet.
   */
  key: string;
  /** Its section of model.yaml, and the path of that. */
  section: EndpointSection;
  path: readonly string[];
  /** The part of model.yaml that describes the model: the file, or `previous`. */
  models: Models;
}

/** Returns the endpoint of a model, and the one for documents alone if it has one. */
export function endpointsOf(model: ServedModel, models: Models, path: readonly string[] = []): ModelEndpoint[] {
  const section = models[model];
  if (!section) return [];
  const { initial_instance_count, instance_type, max_instance_count, target_concurrency, endpoint_name, ...same } =
    section;
  const documents = "documents" in section ? section.documents : undefined;
  const vectors = shortHash(vectorsOfEndpoint(model, models));
  const main = { model, key: `${model}-${vectors}`, section, path: [...path, model], models };
  if (!documents) return [main];
  return [
    main,
    {
      ...main,
      key: `${model}-documents-${vectors}`,
      section: { ...same, ...documents },
      path: [...main.path, "documents"],
    },
  ];
}

/**
 * Returns the name of an endpoint: that of an existing one, or the project's. The hash in the name of an endpoint that
 * scales has its instance type too, because SageMaker rejects another type while the endpoint is a scalable target.
 * Another type, and scaling turned on or off, thus make a new endpoint beside the old one. Source:
 * hashicorp/terraform-provider-aws, issue 14337.
 */
export function endpointName({ key, section }: ModelEndpoint, names: Pick<Names, "endpoint">): string {
  const { endpoint_name, instance_type, max_instance_count } = section;
  if (endpoint_name !== undefined) return endpoint_name;
  if (max_instance_count === undefined) return names.endpoint(key);
  return names.endpoint(key.replace(/[0-9a-f]{8}$/, (vectors) => shortHash(`${vectors} ${instance_type}`)));
}

/** An endpoint that the project deploys. */
export interface DeployedEndpoint extends ModelEndpoint {
  section: EndpointSection & { initial_instance_count: number; instance_type: string };
}

/** Returns whether the project deploys an endpoint, which it does unless the endpoint exists already. */
export function isDeployed(endpoint: ModelEndpoint): endpoint is DeployedEndpoint {
  const { endpoint_name, initial_instance_count, instance_type } = endpoint.section;
  return endpoint_name === undefined && initial_instance_count !== undefined && instance_type !== undefined;
}
