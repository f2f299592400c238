import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER, workFolder } from "@relevance/lib/platform/folders.ts";
import type { Names } from "@relevance/lib/platform/naming/names.ts";
import { readModelFiles } from "@relevance/lib/search/embeddings/sparse-model.ts";
import {
  dimensionOf,
  type EndpointModel,
  isEndpointModel,
  MODEL_NAMES,
  MODELS,
  type ModelName,
} from "@relevance/lib/settings/embedding-models.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import type { Models } from "@relevance/lib/settings/model.ts";
import { endpointName, endpointsOf, repositoryOf, SERVED_MODELS } from "@relevance/lib/settings/model-sources.ts";
import type { StandInModel } from "@relevance/local-models/control.ts";
import { generateModelFiles } from "@relevance/local-models/model-files.ts";
import { type InstalledModels, REAL_MODELS, REAL_MODELS_ID } from "@relevance/local-models/neural/install.ts";
import { createModelProcess } from "@relevance/local-models/neural/model-process.ts";
import { createNeuralModels, type NeuralModels } from "@relevance/local-models/neural/models.ts";
import { readStored } from "@relevance/local-models/neural/stored-embeddings.ts";
import { connectRemoteServer, type RemoteServer, RemoteServerError } from "@relevance/local-models/remote-server.ts";
import { createModelStandIns, type ModelStandIns } from "@relevance/local-models/stand-ins.ts";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import type { DevOptions } from "./options.ts";

/** The models behind the local AWS endpoint. */
export interface DevModels {
  standIns: ModelStandIns;
  /** Folder with the sparse model's tokenizer and weight table. */
  files: string;
  /** Changes when other servers compute the vectors. */
  fingerprint: string;
  /** Whether small real models compute the vectors. Otherwise the stand-ins do. */
  areReal: boolean;
  /** Ends what computes the vectors. */
  stop(): void;
}

/** A model of the configuration, and the local program that computes its embeddings. */
export interface LocalModel {
  name: ModelName;
  /** The user's server, a small real model by name, or the stand-in, which hashes words. */
  by: { url: string } | { small: string } | "words";
  /** The real model for a server of the user's. Undefined for a hosted model, which no server can replace. */
  source: string | undefined;
}

/**
 * Returns the models that the entries use, in the order of {@link MODELS}, with the local programs that compute their
 * embeddings.
 */
export function localModels(
  { hybridQueries: entries, models }: { hybridQueries: readonly HybridQuery[]; models: Models },
  urls: DevOptions["embeddingUrls"],
  areReal: boolean,
): LocalModel[] {
  const used = new Set(entries.flatMap((entry) => entry.embedding_mappings.map(({ model_name }) => model_name)));
  return MODEL_NAMES.filter((name) => used.has(name)).map((name) => {
    const url = urls[name];
    const source = isEndpointModel(name) ? repositoryOf(name, models) : undefined;
    if (url !== undefined) return { name, source, by: { url } };
    return { name, source, by: areReal ? { small: REAL_MODELS[MODELS[name].kind] } : "words" };
  });
}

/** The folder in which `make models` stores the real model's files. */
const REAL_MODEL_FILES = join(workFolder(), "models/sparse_v3");

export interface ModelsOptions {
  urls: DevOptions["embeddingUrls"];
  /** Fetches the small real models. Undefined for stand-ins. */
  install?: (() => Promise<InstalledModels>) | undefined;
  say?: (line: string) => void;
  names: Pick<Names, "endpoint">;
  dir: string;
  /** The sections of model.yaml. */
  models: Models;
}

/**
 * Connects to the given servers and creates stand-ins for the other models. Throws LocalError if a server does not work
 * as an embedding server.
 */
export async function openModels(options: ModelsOptions): Promise<DevModels> {
  const { urls, names, dir, models } = options;
  const given = Object.entries(urls) as [ModelName, string][];
  const connected = await Promise.all(
    given.map(async ([name, url]) => [name, await connect(name, url, models)] as const),
  );
  const remote: Partial<Record<ModelName, RemoteServer>> = Object.fromEntries(connected);

  const endpoints = endpointModels(models, names);
  const previous = endpointModels(models.previous ?? {}, names);
  const real = await realModels(options);
  const standIns = await createModelStandIns({
    ...(real && { dense: real.models, sparse: real.models }),
    modelOfEndpoint: (name) => endpoints.get(name),
    previousOfEndpoint: (name) => previous.get(name),
    remote,
    models,
  });
  return {
    standIns,
    files: await sparseFiles(urls, dir, real?.folder),
    areReal: real !== undefined,
    fingerprint: [...given.map(([name, url]) => `${name}=${url}`).sort(), real ? REAL_MODELS_ID : "stand-ins"].join(
      " ",
    ),
    stop: () => real?.stop(),
  };
}

/** Returns the model of each endpoint that model.yaml describes, by the endpoint's name. */
export function endpointModels(models: Models, names: Pick<Names, "endpoint">): Map<string, StandInModel> {
  return new Map(
    SERVED_MODELS.flatMap((model) =>
      endpointsOf(model, models).map((endpoint) => [endpointName(endpoint, names), model] as const),
    ),
  );
}

/** Embeddings of the demo's texts. `make demo-embeddings` computes them. */
export const DEMO_EMBEDDINGS = join(PACKAGE_FOLDER, "packages/demo-data/embeddings.json.br");

/**
 * Returns the small real models. If they are not available, reports why and returns undefined: then the stand-ins are used,
 * which work offline.
 */
async function realModels({
  install,
  say = () => undefined,
}: ModelsOptions): Promise<{ models: NeuralModels; folder: string; stop(): void } | undefined> {
  if (!install) return undefined;
  try {
    const installed = await install();
    const running = createModelProcess(installed);
    const stored = () => readStored(readFileSync(DEMO_EMBEDDINGS), REAL_MODELS_ID);
    const models = await createNeuralModels(installed.folder, running, stored);
    return { models, folder: installed.folder, stop: running.stop };
  } catch (error) {
    if (!(error instanceof LocalError) || error instanceof MissingTool) throw error;
    say(`${error.message}\nStand-ins, which hash words, compute the vectors until a later start has a network.`);
    return undefined;
  }
}

async function connect(name: ModelName, url: string, models: Models): Promise<RemoteServer> {
  if (!isEndpointModel(name)) {
    throw new LocalError(
      `EMBEDDING_URL_${name.toUpperCase()}: ${name} is a hosted model, which no Text Embeddings Inference server can ` +
        "replace; leave the variable out to use the stand-in",
    );
  }
  try {
    const server = await connectRemoteServer(url, MODELS[name].kind);
    requireConfigured(name, server, models);
    return server;
  } catch (error) {
    if (error instanceof RemoteServerError) {
      throw new LocalError(`EMBEDDING_URL_${name.toUpperCase()}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/**
 * Throws RemoteServerError unless model.yaml describes the dense model of a server. Mappings need its dimension, and a
 * prefix that it was not trained with makes its vectors worse.
 */
function requireConfigured(name: EndpointModel, { dimension, modelId }: RemoteServer, models: Models): void {
  const configured = dimensionOf(name, models);
  const prefixes = 'query_prefix and passage_prefix as its model needs them, "" for none';
  if (dimension !== configured) {
    throw new RemoteServerError(
      `the server's vectors have ${dimension} dimensions, model.yaml says ${configured}: set ` +
        `${name}.dimension: ${dimension} in model.yaml, with ${prefixes}`,
    );
  }
  const { dimension: own, query_prefix } = (name === "dense_large_en_v1_5" && models[name]) || {};
  const { kind } = MODELS[name];
  const source = repositoryOf(name, models);
  if (kind === "sparse" || own !== undefined || query_prefix !== undefined) return;
  if (modelId !== undefined && modelId !== source) {
    throw new RemoteServerError(`the server has ${modelId}, not ${source}: set ${name} in model.yaml: ${prefixes}`);
  }
}

/** Returns the sparse model's folder. Documents and queries share a vocabulary: a real server needs the real files. */
async function sparseFiles(urls: DevOptions["embeddingUrls"], dir: string, small: string | undefined): Promise<string> {
  if (urls.sparse_v3 !== undefined) {
    await readModelFiles(REAL_MODEL_FILES);
    return REAL_MODEL_FILES;
  }
  if (small !== undefined) return small;
  const folder = join(dir, "dev", "model-files");
  await generateModelFiles(folder);
  return folder;
}
