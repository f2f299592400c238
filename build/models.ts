import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import {
  changedFiles,
  type LockedModel,
  lockOf,
  MAX_MODEL_FILE_BYTES,
  MODEL_FILE_NAMES,
  type ModelFileName,
  type ModelFiles,
  ModelFilesError,
  ModelsLock,
  type ParsedModelFiles,
  parseModelFiles,
} from "../lib/search/embeddings/model-files.ts";
import { MODELS } from "../lib/settings/embedding-models.ts";
import { hubRevisionOf } from "../lib/settings/model-sources.ts";
import { writeWhole } from "./write-whole.ts";

/** The model whose queries need files in the archive. */
const MODEL = "sparse_v3";
const REPOSITORY = MODELS[MODEL].source;
const PINNED = hubRevisionOf(MODEL, {}) ?? "main";

/** Size of the real vocabulary: BERT, uncased. */
const VOCABULARY_SIZE = 30_522;

/** A table with fewer weights is not the real one, which covers nearly the whole vocabulary. */
const LEAST_WEIGHTS = 20_000;

/** Lock entry for files of another model that a person put into the folder. */
const OWN = { repository: "own", revision: "own" };

export const HUB = "https://huggingface.co";
const DOWNLOAD_TIMEOUT_MS = 120_000;

export interface ModelFilesOptions {
  /** Folder of the files. */
  folder: string;
  /** Path of `models.lock.json`. */
  lockFile: string;
  /** A branch, tag or commit of the model's repository; the locked one by default, else the pinned commit. */
  revision?: string;
  /** The model hub or a mirror of it with the same paths. */
  hub?: string;
  /** Called with one line for each step. */
  log?: (line: string) => void;
  /** Properties of the real model's files; tests replace them. */
  check?: (files: ParsedModelFiles) => void;
}

/** The result of `syncModelFiles`. */
export interface ModelFilesReport {
  fetched: readonly ModelFileName[];
  /** Whether this run wrote the checksums; otherwise they match the lock. */
  locked: boolean;
  revision: string;
}

/**
 * Downloads missing files of the sparse model (tokenizer and weight table), checks all of them, and locks their
 * checksums on the first run. Accepts files of another model only if all of them were there. Rejects files that differ
 * from the lock and then writes nothing. Throws ModelFilesError with advice, also if the hub cannot be reached.
 */
export async function syncModelFiles(options: ModelFilesOptions): Promise<ModelFilesReport> {
  const { folder, lockFile, hub = HUB, log = () => {}, check = checkIsRealModel } = options;
  const lock = await readLock(lockFile);
  const locked = lock[MODEL];
  if (locked && options.revision !== undefined && options.revision !== locked.revision) {
    throw new ModelFilesError(
      `${lockFile} has revision ${locked.revision} of ${MODEL}, but ${options.revision} was requested: ` +
        `to change it, remove the entry ${MODEL} and the files in ${folder}, then run the command again`,
    );
  }
  const asked = options.revision ?? locked?.revision ?? PINNED;

  const present = await readPresent(folder);
  const missing = MODEL_FILE_NAMES.filter((name) => !present.has(name));
  let revision = asked;
  const fetched = new Map<ModelFileName, Buffer>();
  for (const name of missing) {
    const address = `${hub.replace(/\/+$/, "")}/${REPOSITORY}/resolve/${encodeURIComponent(revision)}/${name}`;
    log(`fetching ${address}`);
    const download = await fetchFile(address, { folder, hub, revision });
    // The first answer names the commit of a branch. The other files are taken from that commit, which is locked.
    revision = download.commit ?? revision;
    fetched.set(name, download.content);
  }

  const files = complete(new Map([...present, ...fetched]));
  const parsed = parseModelFiles(files);
  const problem = problemOf(() => check(parsed));
  // Files that are already in the folder may be a model of your own; downloaded ones must be the expected model.
  if (problem && (missing.length > 0 || locked?.repository === REPOSITORY)) throw problem;
  if (problem) log(`${MODEL}: ${problem.message}; locked as your own, for EMBEDDING_URL_SPARSE_V3`);
  const entry = locked ?? lockOf(files, problem ? OWN : { repository: REPOSITORY, revision });
  requireUnchanged(files, entry, { folder, lockFile, fetched: missing });

  for (const [name, content] of fetched) await writeWhole(join(folder, name), content);
  if (!locked) await writeWhole(lockFile, `${JSON.stringify({ ...lock, [MODEL]: entry }, undefined, 2)}\n`);
  log(locked ? `${MODEL}: the files are the locked ones` : `${MODEL}: checksums written to ${lockFile}`);
  return { fetched: missing, locked: !locked, revision: entry.revision };
}

/** Returns why the sparse model's files cannot be deployed; undefined if they can. `plan` shows it. */
export async function modelFilesProblem(
  options: Pick<ModelFilesOptions, "folder" | "lockFile">,
): Promise<string | undefined> {
  const { folder, lockFile } = options;
  const present = await readPresent(folder);
  const missing = MODEL_FILE_NAMES.filter((name) => !present.has(name));
  if (missing.length > 0) return `${MODEL}: ${missing.join(", ")} missing in ${folder}; run \`make models\``;
  try {
    const entry = (await readLock(lockFile))[MODEL];
    if (!entry) return `${MODEL}: ${lockFile} has no checksums of the files in ${folder}; run \`make models\``;
    requireUnchanged(complete(present), entry, { folder, lockFile, fetched: [] });
    if (entry.repository === REPOSITORY) return undefined;
    return (
      `${MODEL}: the files in ${folder} are your own, and the endpoint has ${REPOSITORY}: remove them and the entry ` +
      `${MODEL} of ${lockFile}, then run \`make models\``
    );
  } catch (error) {
    if (error instanceof ModelFilesError) return `${MODEL}: ${error.message}`;
    throw error;
  }
}

function problemOf(check: () => void): ModelFilesError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ModelFilesError) return error;
    throw error;
  }
}

function checkIsRealModel({ vocabulary, weights }: ParsedModelFiles): void {
  if (vocabulary.size !== VOCABULARY_SIZE) {
    throw new ModelFilesError(
      `tokenizer.json has ${vocabulary.size} tokens, ${REPOSITORY} has ${VOCABULARY_SIZE}: it belongs to another model`,
    );
  }
  if (weights.size < LEAST_WEIGHTS) {
    throw new ModelFilesError(
      `idf.json has ${weights.size} weights, ${REPOSITORY} has over ${LEAST_WEIGHTS}: it belongs to another model`,
    );
  }
}

async function fetchFile(
  address: string,
  { folder, hub, revision }: { folder: string; hub: string; revision: string },
): Promise<{ content: Buffer; commit: string | undefined }> {
  const byHand =
    `Fetch ${MODEL_FILE_NAMES.join(", ")} of ${REPOSITORY} (revision ${revision}) on a machine that can reach the hub, ` +
    `put them into ${folder}, and run \`make models\` again: it then checks and locks them.`;
  let answer: Response;
  let content: Buffer;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
    content = await readBounded(answer, address);
  } catch (cause) {
    if (cause instanceof ModelFilesError) throw cause;
    throw new ModelFilesError(`the model hub ${hub} cannot be reached (${connectionFailure(cause)}). ${byHand}`, {
      cause,
    });
  }
  if (!answer.ok) throw new ModelFilesError(`${address} answered ${answer.status}. ${byHand}`);
  const commit = answer.headers.get("x-repo-commit") ?? "";
  return { content, commit: /^[0-9a-f]{40}$/.test(commit) ? commit : undefined };
}

async function readBounded(answer: Response, address: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_MODEL_FILE_BYTES) {
      throw new ModelFilesError(
        `${address} has more than ${MAX_MODEL_FILE_BYTES} bytes: this is not the expected file`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the reason behind fetch's "fetch failed". */
export function connectionFailure(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}

function requireUnchanged(
  files: ModelFiles,
  entry: LockedModel,
  { folder, lockFile, fetched }: { folder: string; lockFile: string; fetched: readonly ModelFileName[] },
): void {
  const changed = changedFiles(files, entry);
  if (changed.length === 0) return;
  const now = lockOf(files, entry);
  const each = changed.map((name) => {
    const from = fetched.includes(name) ? "as fetched" : `in ${folder}`;
    return `${name} ${from} has sha256 ${now.files[name].sha256}, locked is ${entry.files[name].sha256}`;
  });
  throw new ModelFilesError(
    `${each.join("; ")}. Stored documents were embedded with the locked files. Restore those. To change the model on ` +
      `purpose, remove the entry ${MODEL} from ${lockFile}, run the command again, and embed all documents again`,
  );
}

async function readPresent(folder: string): Promise<Map<ModelFileName, Buffer>> {
  const present = new Map<ModelFileName, Buffer>();
  for (const name of MODEL_FILE_NAMES) {
    const content = await readIfThere(join(folder, name));
    if (content) present.set(name, content);
  }
  return present;
}

async function readLock(path: string): Promise<ModelsLock> {
  const content = await readIfThere(path);
  if (!content) return {};
  let json: unknown;
  try {
    json = JSON.parse(content.toString("utf8"));
  } catch (cause) {
    throw new ModelFilesError(`${path} is not JSON: restore it from version control`, { cause });
  }
  const result = v.safeParse(ModelsLock, json);
  if (result.success) return result.output;
  throw new ModelFilesError(
    `${path} is not a lock file: restore it from version control\n${v.summarize(result.issues)}`,
  );
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function complete(files: ReadonlyMap<ModelFileName, Buffer>): ModelFiles {
  const get = (name: ModelFileName) => {
    const content = files.get(name);
    if (!content) throw new ModelFilesError(`${name} is missing; run \`make models\``);
    return content;
  };
  return {
    "tokenizer.json": get("tokenizer.json"),
    "tokenizer_config.json": get("tokenizer_config.json"),
    "idf.json": get("idf.json"),
  };
}
