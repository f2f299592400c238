import { createHash } from "node:crypto";
import * as v from "valibot";

/**
 * The files that sparse queries need beside the code, as the model's repository has them: the tokenizer with its
 * vocabulary, the tokenizer's settings, and the weight of each token in a query.
 */
export const MODEL_FILE_NAMES = ["tokenizer.json", "tokenizer_config.json", "idf.json"] as const;

export type ModelFileName = (typeof MODEL_FILE_NAMES)[number];

/** The content of the files. */
export type ModelFiles = Readonly<Record<ModelFileName, Buffer>>;

/** Some model files are missing, damaged or not the locked ones. The message says which and what to do. */
export class ModelFilesError extends Error {
  override name = "ModelFilesError";
}

const LockedFile = v.strictObject({ sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)), bytes: v.number() });

/** Hashes and origins of each model's files, recorded when they were first checked: `models.lock.json`. */
export const ModelsLock = v.record(
  v.string(),
  v.strictObject({
    repository: v.string(),
    revision: v.string(),
    files: v.strictObject({
      "tokenizer.json": LockedFile,
      "tokenizer_config.json": LockedFile,
      "idf.json": LockedFile,
    }),
  }),
);

export type ModelsLock = v.InferOutput<typeof ModelsLock>;
export type LockedModel = ModelsLock[string];

/** The most bytes of a model file. The real ones have 0.7 and 0.9 MB. */
export const MAX_MODEL_FILE_BYTES = 16_000_000;

const Id = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Any object, unchanged: valibot's object schemas drop the key "constructor", which is a token of the vocabulary. */
const AnyObject = v.custom<object>((value) => typeof value === "object" && value !== null, "must be an object");

const TokenizerJson = v.object({
  added_tokens: v.array(v.object({ id: Id, content: v.string(), special: v.boolean() })),
  model: v.object({ type: v.literal("WordPiece"), unk_token: v.string(), vocab: AnyObject }),
});

/** The checked content of the files, ready for a tokenizer. */
export interface ParsedModelFiles {
  /** Token to id. */
  vocabulary: ReadonlyMap<string, number>;
  /** Ids of `[CLS]` and its like. */
  specialIds: ReadonlySet<number>;
  weights: ReadonlyMap<string, number>;
  /** Content of the tokenizer's files for `@huggingface/tokenizers`. */
  tokenizer: object;
  tokenizerConfig: object;
}

/** Reads and checks the three files: formats, a gapless vocabulary, every weighted token in it. Throws ModelFilesError. */
export function parseModelFiles(files: ModelFiles): ParsedModelFiles {
  const tokenizer = parseJson("tokenizer.json", files["tokenizer.json"], AnyObject);
  const tokenizerConfig = parseJson("tokenizer_config.json", files["tokenizer_config.json"], AnyObject);
  const weights = numbers("idf.json", parseJson("idf.json", files["idf.json"], AnyObject));
  const { added_tokens, model } = check("tokenizer.json", tokenizer, TokenizerJson);

  const vocabulary = numbers("tokenizer.json", model.vocab);
  for (const { content, id } of added_tokens) vocabulary.set(content, id);
  const ids = new Set(vocabulary.values());
  const inRange = (id: number) => Number.isInteger(id) && id >= 0 && id < ids.size;
  if (ids.size !== vocabulary.size || ![...ids].every(inRange)) {
    throw new ModelFilesError("tokenizer.json: the ids of the vocabulary have gaps or repeat; fetch the file again");
  }
  const unknown = [...weights.keys()].filter((token) => !vocabulary.has(token));
  if (unknown.length > 0) {
    throw new ModelFilesError(
      `idf.json weights ${unknown.length} tokens that tokenizer.json does not have (${unknown.slice(0, 3).join(", ")}): ` +
        "the two files are of different models; fetch both from one revision",
    );
  }
  if (weights.size === 0) throw new ModelFilesError("idf.json holds no weights; fetch the file again");
  const specialIds = new Set(added_tokens.filter(({ special }) => special).map(({ id }) => id));
  if (specialIds.size === 0) throw new ModelFilesError("tokenizer.json names no special tokens; fetch the file again");
  return { vocabulary, specialIds, weights, tokenizer, tokenizerConfig };
}

/** Returns the members of an object, all of which must be finite numbers. */
function numbers(name: ModelFileName, json: object): Map<string, number> {
  const entries: [string, unknown][] = Object.entries(json);
  const wrong = entries.find(([, value]) => typeof value !== "number" || !Number.isFinite(value));
  if (!wrong) return new Map(entries as [string, number][]);
  throw new ModelFilesError(
    `${name} is not the file that is expected: "${wrong[0]}" is ${JSON.stringify(wrong[1])}, not a number`,
  );
}

function parseJson<T>(name: ModelFileName, content: Buffer, schema: v.GenericSchema<unknown, T>): T {
  if (content.length > MAX_MODEL_FILE_BYTES) {
    throw new ModelFilesError(`${name} has ${content.length} bytes, more than ${MAX_MODEL_FILE_BYTES}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(content.toString("utf8"));
  } catch (cause) {
    throw new ModelFilesError(`${name} is not JSON (${content.length} bytes); fetch the file again`, { cause });
  }
  return check(name, json, schema);
}

function check<T>(name: ModelFileName, json: unknown, schema: v.GenericSchema<unknown, T>): T {
  const result = v.safeParse(schema, json, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? "";
  throw new ModelFilesError(`${name} is not the file that is expected: ${path} ${issue.message}`);
}

/** The lock entry of some files. */
export function lockOf(files: ModelFiles, origin: { repository: string; revision: string }): LockedModel {
  const locked = (name: ModelFileName) => ({
    sha256: createHash("sha256").update(files[name]).digest("hex"),
    bytes: files[name].length,
  });
  return {
    ...origin,
    files: {
      "tokenizer.json": locked("tokenizer.json"),
      "tokenizer_config.json": locked("tokenizer_config.json"),
      "idf.json": locked("idf.json"),
    },
  };
}

/** The names of the files whose content is not the locked one. */
export function changedFiles(files: ModelFiles, lock: LockedModel): ModelFileName[] {
  const now = lockOf(files, lock);
  return MODEL_FILE_NAMES.filter((name) => now.files[name].sha256 !== lock.files[name].sha256);
}
