import { join, resolve } from "node:path";
import { MODELS, type ModelName } from "../../lib/config/embedding-models.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { readModelFiles } from "../../lib/search/embeddings/sparse-model.ts";
import { generateModelFiles } from "../embeddings/model-files.ts";
import { connectRemoteServer, type RemoteServer, RemoteServerError } from "../embeddings/remote-server.ts";
import { createModelStandIns, type ModelStandIns } from "../embeddings/stand-ins.ts";
import { LocalError } from "../process/error.ts";
import type { DevOptions } from "./options.ts";

/** The models behind the local AWS endpoint. */
export interface DevModels {
  standIns: ModelStandIns;
  /** Folder with the sparse model's tokenizer and weight table. */
  files: string;
  /** Dimensions of the dense models on remote servers, as served. */
  dimensions: Partial<Record<ModelName, number>>;
  /** Changes when other servers compute the vectors. */
  fingerprint: string;
}

/** The folder in which `make models` stores the real model's files. */
const REAL_MODEL_FILES = resolve(import.meta.dirname, "../../models/sparse_v3");

export interface ModelsOptions {
  urls: DevOptions["embeddingUrls"];
  names: Pick<Names, "endpoint">;
  dir: string;
}

/**
 * Connects to the given servers and creates stand-ins for the other models. Throws LocalError if a server does not work
 * as an embedding server.
 */
export async function openModels({ urls, names, dir }: ModelsOptions): Promise<DevModels> {
  const given = Object.entries(urls) as [ModelName, string][];
  const connected = await Promise.all(given.map(async ([name, url]) => [name, await connect(name, url)] as const));
  const remote: Partial<Record<ModelName, RemoteServer>> = Object.fromEntries(connected);

  const endpoints = new Map((Object.keys(MODELS) as ModelName[]).map((model) => [names.endpoint(model), model]));
  const standIns = await createModelStandIns({ modelOfEndpoint: (name) => endpoints.get(name), remote });
  return {
    standIns,
    files: await sparseFiles(urls, dir),
    dimensions: Object.fromEntries(
      connected.flatMap(([name, { dimension }]) => (dimension === undefined ? [] : [[name, dimension]])),
    ),
    fingerprint:
      given
        .map(([name, url]) => `${name}=${url}`)
        .sort()
        .join(" ") || "stand-ins",
  };
}

async function connect(name: ModelName, url: string): Promise<RemoteServer> {
  if (MODELS[name].host === "bedrock") {
    throw new LocalError(
      `EMBEDDING_URL_${name.toUpperCase()}: ${name} is a hosted model, which no Text Embeddings Inference server can ` +
        "take the place of; leave the variable out to use the stand-in",
    );
  }
  try {
    return await connectRemoteServer(url, MODELS[name].kind);
  } catch (error) {
    if (error instanceof RemoteServerError) {
      throw new LocalError(`EMBEDDING_URL_${name.toUpperCase()}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** Returns the sparse model's folder. Documents and queries share a vocabulary: a real server needs the real files. */
async function sparseFiles(urls: DevOptions["embeddingUrls"], dir: string): Promise<string> {
  if (urls.sparse_v3 !== undefined) {
    await readModelFiles(REAL_MODEL_FILES);
    return REAL_MODEL_FILES;
  }
  const folder = join(dir, "dev", "model-files");
  await generateModelFiles(folder);
  return folder;
}
