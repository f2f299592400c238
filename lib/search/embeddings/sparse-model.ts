import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { once } from "../../platform/resilience/once.ts";
import {
  MODEL_FILE_NAMES,
  type ModelFiles,
  ModelFilesError,
  type ParsedModelFiles,
  parseModelFiles,
} from "./model-files.ts";

/** The tokenizer, vocabulary and weight table of the sparse model. */
export interface SparseModel {
  /** Returns the token of an id. */
  token(id: number): string | undefined;
  /** Returns the id of a token. */
  id(token: string): number | undefined;
  isSpecial(id: number): boolean;
  /** Returns the tokens of a text in order, with repeats and without special tokens. */
  tokenize(text: string): string[];
  /** Returns the weight of a token in a query. */
  weight(token: string): number | undefined;
}

/** Loads the model files; called for the first sparse text. */
export type SparseModelLoader = () => Promise<SparseModel>;

/**
 * Returns a loader of a folder's model files (1.6 MB). Caches the result, but not a failure, so repaired files are
 * found.
 */
export function sparseModelIn(folder: string): SparseModelLoader {
  return once(async () => createSparseModel(parseModelFiles(await readModelFiles(folder))));
}

/** Reads the files of a folder. Throws ModelFilesError that names every missing one. */
export async function readModelFiles(folder: string): Promise<ModelFiles> {
  const contents = await Promise.all(
    MODEL_FILE_NAMES.map(async (name) => {
      try {
        return await readFile(join(folder, name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    }),
  );
  const missing = MODEL_FILE_NAMES.filter((_, i) => contents[i] === undefined);
  if (missing.length > 0) {
    throw new ModelFilesError(`${missing.join(", ")} missing in ${folder}: run \`make models\``);
  }
  const files = Object.fromEntries(MODEL_FILE_NAMES.map((name, i) => [name, contents[i]]));
  return files as Record<(typeof MODEL_FILE_NAMES)[number], Buffer>;
}

/** Returns a model from checked files. Loads the tokenizer library (35 kB, 5 ms). */
export async function createSparseModel(files: ParsedModelFiles): Promise<SparseModel> {
  const { Tokenizer } = await import("@huggingface/tokenizers");
  const { vocabulary, specialIds, weights } = files;
  // Typed here because the package's declarations import files without extensions, which nodenext does not resolve.
  const tokenizer: { tokenize(text: string): string[] } = new Tokenizer(files.tokenizer, files.tokenizerConfig);
  const tokens = new Array<string>(vocabulary.size);
  for (const [token, id] of vocabulary) tokens[id] = token;
  const isSpecialToken = (token: string) => {
    const id = vocabulary.get(token);
    return id === undefined || specialIds.has(id);
  };
  return {
    token: (id) => tokens[id],
    id: (token) => vocabulary.get(token),
    isSpecial: (id) => specialIds.has(id),
    tokenize: (text) => tokenizer.tokenize(text).filter((token) => !isSpecialToken(token)),
    weight: (token) => weights.get(token),
  };
}
