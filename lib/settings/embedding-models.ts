/** The embedding models that hybrid_search.yaml may name. */
export const MODELS = {
  dense_large_en_v1_5: { kind: "dense", host: "sagemaker", dimension: 1024, source: "BAAI/bge-large-en-v1.5" },
  sparse_v3: {
    kind: "sparse",
    host: "sagemaker",
    source: "opensearch-project/opensearch-neural-sparse-encoding-doc-v3-distill",
  },
  ext_embed_english_v3: { kind: "dense", host: "bedrock", dimension: 1024, source: "cohere.embed-english-v3" },
  ext_embed_multilingual_v3: {
    kind: "dense",
    host: "bedrock",
    dimension: 1024,
    source: "cohere.embed-multilingual-v3",
  },
  // model.yaml says which model this is, and the dimension of its vectors.
  ext_embed_bedrock: { kind: "dense", host: "bedrock" },
} as const satisfies Record<string, ModelFacts>;

/** The part of model.yaml that {@link dimensionOf} reads. */
export type DimensionsGiven = Partial<Record<ModelName, { dimension?: number | undefined } | object | undefined>>;

/**
 * Returns the dimension of a dense model's vectors: that of model.yaml, or the model's own. Undefined for a sparse model,
 * and for `ext_embed_bedrock` without a section in model.yaml.
 */
export function dimensionOf(name: ModelName, models: DimensionsGiven): number | undefined {
  const facts: ModelFacts = MODELS[name];
  if (facts.kind === "sparse") return undefined;
  const given = models[name];
  return (given && "dimension" in given ? given.dimension : undefined) ?? facts.dimension;
}

export type ModelFacts =
  | { kind: "dense"; host: "sagemaker" | "bedrock"; dimension?: number; source?: string }
  | { kind: "sparse"; host: "sagemaker"; source: string };

/** The kind of a model's embeddings: vectors of numbers, or weights of tokens. */
export type ModelKind = ModelFacts["kind"];

export type ModelName = keyof typeof MODELS;

type HostedBy<Host extends ModelFacts["host"]> = {
  [Name in ModelName]: (typeof MODELS)[Name] extends { host: Host } ? Name : never;
}[ModelName];

/** The models that run on SageMaker endpoints. */
export type EndpointModel = HostedBy<"sagemaker">;

/** The models that run on Bedrock. */
export type BedrockModel = HostedBy<"bedrock">;

export const MODEL_NAMES = Object.keys(MODELS) as ModelName[];

/** Returns whether a model runs on a SageMaker endpoint. */
export function isEndpointModel(name: ModelName): name is EndpointModel {
  return MODELS[name].host === "sagemaker";
}

export const ENDPOINT_MODELS = MODEL_NAMES.filter(isEndpointModel);
export const BEDROCK_MODELS = MODEL_NAMES.filter((name): name is BedrockModel => !isEndpointModel(name));
