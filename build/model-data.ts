import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as v from "valibot";
import { ModelFilesError } from "../lib/search/embeddings/model-files.ts";
import type { Models } from "../lib/settings/model.ts";
import { hubRevisionOf, repositoryOf, SERVED_MODELS, type ServedModel } from "../lib/settings/model-sources.ts";
import { connectionFailure, HUB } from "./models.ts";

/** The files that Text Embeddings Inference reads: no other format of the weights, no training data. */
const SERVED = /^([\w.-]+\.(json|txt|model|safetensors)|\d_[\w-]+\/(config\.json|model\.safetensors))$/;

/** Weights of a repository that has no `safetensors`. */
const OLD_WEIGHTS = "pytorch_model.bin";

const Repository = v.object({ siblings: v.array(v.object({ rfilename: v.string() })) });

export interface ModelDataOptions {
  models: Models;
  /** Keeps the downloaded files: one folder for each model and revision. */
  folder: string;
  /** Stores a file as an object of S3. */
  put: (object: { bucket: string; key: string; path: string; bytes: number }) => Promise<void>;
  /** The model hub or a mirror of it with the same paths. */
  hub?: string;
  log: (line: string) => void;
}

/**
 * Copies the files of each model with `model_data` from the Hub to its prefix in S3. A folder that is there already is
 * uploaded as it is. Throws ModelFilesError with advice.
 */
export async function uploadModelData(options: ModelDataOptions): Promise<void> {
  const { models, put, log } = options;
  const wanted = SERVED_MODELS.filter((name) => models[name]?.model_data !== undefined);
  if (wanted.length === 0)
    throw new ModelFilesError("no model in model.yaml has model_data: there is nothing to upload");
  for (const name of wanted) {
    const data = models[name]?.model_data ?? "";
    const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)\/(.*\/)$/.exec(data) ?? [];
    if (prefix === "") {
      throw new ModelFilesError(
        `${name}.model_data is the archive ${data}, which you make and upload yourself: \`make models\` fills prefixes, which end with a slash`,
      );
    }
    const folder = await downloaded(name, options);
    for (const path of await filesBelow(folder)) {
      const { size: bytes } = await stat(join(folder, path));
      log(`${name}: uploading ${path} (${bytes} bytes) to s3://${bucket}/${prefix}${path}`);
      await put({ bucket, key: `${prefix}${path}`, path: join(folder, path), bytes });
    }
  }
}

/** Returns the folder with a model's files, which it downloads unless the folder is there. */
async function downloaded(name: ServedModel, { models, folder: root, hub = HUB, log }: ModelDataOptions) {
  const revision = hubRevisionOf(name, models);
  if (revision === undefined) {
    throw new ModelFilesError(
      `${name} has its own model_id: set revision in model.yaml, so that its files can be downloaded`,
    );
  }
  const repository = repositoryOf(name, models);
  if (repository === "") {
    throw new ModelFilesError(`${name} has no model_id: set it in model.yaml, so that its files can be downloaded`);
  }
  const folder = join(root, `${repository.replace("/", "--")}-${revision}`);
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) {
    log(`${name}: taking the files of ${folder}`);
    return folder;
  }
  const partial = `${folder}.part`;
  await rm(partial, { recursive: true, force: true });
  const base = hub.replace(/\/+$/, "");
  try {
    const listing = await get(`${base}/api/models/${repository}/revision/${encodeURIComponent(revision)}`);
    const { siblings } = v.parse(Repository, await listing.json());
    for (const file of servedFiles(siblings.map(({ rfilename }) => rfilename))) {
      log(`${name}: downloading ${file}`);
      const { body } = await get(`${base}/${repository}/resolve/${encodeURIComponent(revision)}/${file}`);
      const path = join(partial, file);
      await mkdir(dirname(path), { recursive: true });
      await pipeline(Readable.fromWeb(body as never), createWriteStream(path));
    }
  } catch (cause) {
    throw new ModelFilesError(
      `the files of ${repository} cannot be downloaded from ${hub} (${connectionFailure(cause)}). Download revision ${revision} on a ` +
        `machine that can reach the hub, put its files into ${folder}, and run the command again: it then uploads them.`,
      { cause },
    );
  }
  await rename(partial, folder);
  return folder;
}

async function get(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer;
}

/** Returns the files of a repository that the model server reads. */
export function servedFiles(files: readonly string[]): string[] {
  const served = files.filter((file) => SERVED.test(file));
  const hasWeights = served.some((file) => /^[^/]+\.safetensors$/.test(file));
  return hasWeights || !files.includes(OLD_WEIGHTS) ? served : [...served, OLD_WEIGHTS];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
