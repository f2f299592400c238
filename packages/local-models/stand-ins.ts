import {
  dimensionOf,
  isEndpointModel,
  MODEL_NAMES,
  MODELS,
  type ModelName,
} from "@relevance/lib/settings/embedding-models.ts";
import type { Models } from "@relevance/lib/settings/model.ts";
import { bedrockModelId } from "@relevance/lib/settings/model-sources.ts";
import { RERANKER } from "@relevance/lib/settings/rerank-models.ts";
import type { StandIn, StandInAnswer, StandInRequest } from "@relevance/local-aws/cloud/stand-in.ts";
import { bedrockModelOf, bedrockRequest, invokeBedrock, unknownModel } from "./bedrock-runtime.ts";
import { createModelControl, type ModelControl, type StandInModel } from "./control.ts";
import { denseServer, type InferenceServer, inputsOf, sparseServer } from "./inference-server.ts";
import { createLexicalModel, type DenseModel, type SparseModel } from "./lexical-model.ts";
import type { RemoteServer } from "./remote-server.ts";
import { invokeRerank, isHostedReranker, rerankedTexts, rerankServer, spoiledScores } from "./rerank-server.ts";
import { endpointOf, invokeEndpoint, unknownEndpoint } from "./sagemaker-runtime.ts";

export interface ModelStandInOptions {
  /** Returns the model of a SageMaker endpoint by name, or undefined if there is no such endpoint. */
  modelOfEndpoint: (name: string) => StandInModel | undefined;
  /** The same for endpoints of previous models, `previous` in model.yaml. */
  previousOfEndpoint?: (name: string) => StandInModel | undefined;
  /** Computes the dense vectors. Default: the lexical model. */
  dense?: DenseModel;
  /** Computes the sparse vectors. Default: the lexical model. */
  sparse?: SparseModel;
  /** Real servers that replace the local ones, see `connectRemoteServer`. */
  remote?: Partial<Record<ModelName, RemoteServer>>;
  /** model.yaml: dimensions that differ from the models' defaults, and the model of `ext_embed_bedrock`. */
  models?: Models;
}

export interface ModelStandIns extends StandIn {
  control: ModelControl;
  /** The dimension of each dense model, as served here. */
  dimensions: Readonly<Partial<Record<ModelName, number>>>;
}

/** Seeds of the dense models. As with the real ones, vectors of different models cannot be compared. */
const SEEDS: Readonly<Record<ModelName, number>> = {
  dense_large_en_v1_5: 1,
  sparse_v3: 2,
  ext_embed_english_v3: 3,
  ext_embed_multilingual_v3: 4,
  ext_embed_bedrock: 5,
};

/** First seed of previous models: another revision of a model gives other vectors. */
const PREVIOUS_SEEDS = 100;

/** Creates the SageMaker and Bedrock runtimes with every model of `lib/settings/embedding-models.ts`, and with rerankers. */
export async function createModelStandIns(options: ModelStandInOptions): Promise<ModelStandIns> {
  const { modelOfEndpoint, previousOfEndpoint, remote = {}, models = {} } = options;
  const previous: Models = models.previous ?? {};
  const control = createModelControl();
  const lexical = await createLexicalModel();
  const { dense = lexical, sparse = lexical } = options;
  const reranker = rerankServer(lexical);
  const servers = new Map<ModelName, InferenceServer>();
  const previousServers = new Map<ModelName, InferenceServer>();
  const dimensions: Partial<Record<ModelName, number>> = {};
  for (const model of MODEL_NAMES) {
    const own = dimensionOf(model, models);
    const server = remote[model];
    if (MODELS[model].kind === "sparse") {
      servers.set(model, server ?? sparseServer(sparse));
      continue;
    }
    const before = dimensionOf(model, previous);
    if (Object.hasOwn(previous, model) && before !== undefined) {
      previousServers.set(model, denseServer(dense, before, PREVIOUS_SEEDS + SEEDS[model]));
    }
    // Without a section in model.yaml, this model cannot be used.
    if (own === undefined) continue;
    dimensions[model] = server?.dimension ?? own;
    servers.set(model, server ?? denseServer(dense, own, SEEDS[model]));
  }

  const sagemaker = async (request: StandInRequest, endpoint: string): Promise<StandInAnswer> => {
    const current = modelOfEndpoint(endpoint);
    if (current === RERANKER) {
      return control.observe(RERANKER, { texts: rerankedTexts(request.body) }, (fault) =>
        invokeEndpoint(request, reranker, fault, spoiledScores),
      );
    }
    const model = current ?? previousOfEndpoint?.(endpoint);
    if (!model || model === RERANKER) return unknownEndpoint(endpoint);
    const server = (current ? servers : previousServers).get(model);
    if (!server) return unknownEndpoint(endpoint);
    return control.observe(model, { texts: inputsOf(request.body) }, (fault) => invokeEndpoint(request, server, fault));
  };

  const bedrock = async (request: StandInRequest, id: string): Promise<StandInAnswer> => {
    if (isHostedReranker(id)) {
      const call = { texts: rerankedTexts(request.body) };
      return control.observe(RERANKER, call, async (fault) => invokeRerank(id, request, fault));
    }
    const named = (among: ReadonlyMap<ModelName, InferenceServer>, described: Models) =>
      [...among.keys()].find((name) => !isEndpointModel(name) && bedrockModelId(name, described) === id);
    const current = named(servers, models);
    const model = current ?? named(previousServers, previous);
    const server = model && (current ? servers : previousServers).get(model);
    if (!server) return unknownModel();
    const { texts, inputType } = bedrockRequest(request.body);
    const call = { texts, ...(inputType !== undefined && { inputType }) };
    return control.observe(model, call, (fault) => invokeBedrock(id, request, server, fault));
  };

  return {
    control,
    dimensions,
    services: ["sagemaker-runtime", "bedrock-runtime"],
    async handle(request) {
      const endpoint = endpointOf(request);
      if (endpoint !== undefined) return withoutMark(await sagemaker(request, endpoint));
      const id = bedrockModelOf(request);
      if (id !== undefined) return withoutMark(await bedrock(request, id));
      return {
        status: 404,
        headers: { "x-amzn-errortype": "UnknownOperationException" },
        body: JSON.stringify({ message: `the stand-in models do not serve ${request.method} ${request.path}` }),
      };
    },
  };
}

const withoutMark = ({ status, headers, body }: StandInAnswer): StandInAnswer => ({
  status,
  ...(headers && { headers }),
  ...(body !== undefined && { body }),
});
