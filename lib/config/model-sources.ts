import type { Names } from "../core/naming/names.ts";
import { MODELS, type ModelName } from "./embedding-models.ts";
import type { Models } from "./model.ts";

/** The models that run on SageMaker endpoints. */
export type EndpointModel = Extract<ModelName, "dense_large_en_v1_5" | "sparse_v3">;

/** The models that run on Bedrock. */
export type BedrockModel = Exclude<ModelName, EndpointModel>;

/** The keys of a model's section in model.yaml. */
export type EndpointSection = NonNullable<Models[EndpointModel]>;

/**
 * Commits of the built-in models' repositories on the Hugging Face Hub, which endpoints serve unless model.yaml names
 * another revision. Source: the model registry of MTEB (embeddings-benchmark/mteb), `mteb/models`, field `revision`.
 */
const REVISIONS: Readonly<Record<EndpointModel, string>> = {
  dense_large_en_v1_5: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
  sparse_v3: "babf71f3c48695e2e53a978208e8aba48335e3c0",
};

/** Returns whether a model runs on a SageMaker endpoint. */
export function isEndpointModel(name: ModelName): name is EndpointModel {
  return MODELS[name].host === "sagemaker";
}

/** Returns the repository of an endpoint's model: `model_id` of model.yaml, or the built-in one. */
export function repositoryOf(name: EndpointModel, { [name]: section }: Models): string {
  return ownRepository(section) ?? MODELS[name].source;
}

/** Returns `model_id`: the repository of a model of the user's own. */
export function ownRepository(section: EndpointSection | undefined): string | undefined {
  return section && "model_id" in section ? section.model_id : undefined;
}

/**
 * Returns what tells the files of an endpoint's model from others: the revision of model.yaml, else the place of its files,
 * else the built-in model's pinned commit.
 */
export function revisionOf(name: EndpointModel, { [name]: section }: Models): string {
  return section?.revision ?? section?.endpoint_name ?? section?.model_data ?? REVISIONS[name];
}

/** Returns the revision to download from the Hub. Undefined for a model of the user's own without one. */
export function hubRevisionOf(name: EndpointModel, { [name]: section }: Models): string | undefined {
  return section?.revision ?? (ownRepository(section) === undefined ? REVISIONS[name] : undefined);
}

/** Returns the name of the endpoint that serves a model: an existing one, or the project's. */
export function endpointNameOf(
  name: EndpointModel,
  { [name]: section }: Models,
  names: Pick<Names, "endpoint">,
): string {
  return section?.endpoint_name ?? names.endpoint(name);
}

/** Returns the id with which Bedrock is called: a model, or an inference profile. */
export function bedrockModelId(name: BedrockModel, { ext_embed_bedrock: own }: Models): string {
  if (name !== "ext_embed_bedrock") return MODELS[name].source;
  if (!own) throw new Error("ext_embed_bedrock has no section in model.yaml");
  return own.model_id;
}

/** An endpoint that the project deploys for a model. */
export interface DeployedEndpoint {
  name: EndpointModel;
  section: EndpointSection & { initial_instance_count: number; instance_type: string };
}

/** Returns the endpoint that the project deploys for a model; undefined for an existing one and for Bedrock's models. */
export function deployedEndpoint(name: ModelName, models: Models): DeployedEndpoint | undefined {
  const section = isEndpointModel(name) ? models[name] : undefined;
  if (!isEndpointModel(name) || !section || section.endpoint_name !== undefined) return undefined;
  const { initial_instance_count, instance_type } = section;
  if (initial_instance_count === undefined || instance_type === undefined) return undefined;
  return { name, section: { ...section, initial_instance_count, instance_type } };
}
