import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockOf, type ModelFiles } from "@relevance/lib/search/embeddings/model-files.ts";
import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import { generateVocabulary } from "./vocabulary.ts";

/**
 * The settings of a Hugging Face WordPiece tokenizer like the real one, without its vocabulary. It has two additional
 * steps: `Split` cuts words after 32 characters, because the lookup is quadratic; `ByteLevel` splits words into bytes,
 * and the vocabulary contains every byte, so no text is unknown. A piece longer than 128 bytes, four per character,
 * would become [UNK].
 */
const SETTINGS = JSON.parse(readFileSync(new URL("tokenizer.json", import.meta.url), "utf8"));

/** Returns the stand-in's model files in the format of the real ones. */
export function generatedModelFiles(): ModelFiles {
  const vocabulary = generateVocabulary();
  const vocab = Object.fromEntries(vocabulary.tokens.map((text, id) => [text, id]));
  const tokenizer = { ...SETTINGS.tokenizer, model: { ...SETTINGS.tokenizer.model, vocab } };
  const json = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
  return {
    "tokenizer.json": json(tokenizer),
    "tokenizer_config.json": json(SETTINGS.config),
    "idf.json": json(Object.fromEntries(vocabulary.weights)),
  };
}

/** Writes the generated model files to a folder, from which the local stack embeds queries. */
export async function generateModelFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(
    Object.entries(generatedModelFiles()).map(([name, content]) => writeFile(join(folder, name), content)),
  );
}

/** Does the same, and records the files in models.lock.json like the real ones, so that they can be deployed. */
export async function generateLockedModelFiles({ folder, lockFile }: { folder: string; lockFile: string }) {
  await generateModelFiles(folder);
  const source = { repository: MODELS.sparse_v3.source, revision: "generated" };
  await writeFile(lockFile, `${JSON.stringify({ sparse_v3: lockOf(generatedModelFiles(), source) })}\n`);
}
