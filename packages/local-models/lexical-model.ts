import { cutCharacters } from "@relevance/lib/search/embeddings/batches.ts";
import { parseModelFiles } from "@relevance/lib/search/embeddings/model-files.ts";
import { createSparseModel } from "@relevance/lib/search/embeddings/sparse-model.ts";
import { BGE_QUERY_PREFIX } from "@relevance/lib/search/embeddings/text-embeddings-inference.ts";
import { generatedModelFiles } from "./model-files.ts";
import { SPECIAL_IDS } from "./vocabulary.ts";

/** One token of a sparse embedding, in the format of Text Embeddings Inference. */
export interface SparseEntry {
  index: number;
  value: number;
}

/** Counts the tokens of a text, including `[CLS]` and `[SEP]`. */
export type TokenCount = { count(text: string): number };

/** Computes vectors from texts. */
export interface DenseModel extends TokenCount {
  /** Returns a unit vector. `seed` distinguishes models: vectors of different seeds cannot be compared. */
  dense(text: string, dimension: number, seed: number): number[] | Promise<number[]>;
}

/** Computes weights of tokens from texts. */
export interface SparseModel extends TokenCount {
  /** Returns values like the real server: before the gateway's log1p and including special tokens. */
  sparse(text: string): SparseEntry[] | Promise<SparseEntry[]>;
}

/**
 * Stands in for the embedding models. Texts that share words are close to one another, and nothing else counts: it
 * knows no meaning, so "car" and "automobile" are unrelated.
 */
export interface LexicalModel extends DenseModel, SparseModel {
  dense(text: string, dimension: number, seed: number): number[];
  sparse(text: string): SparseEntry[];
}

/** Tokens that the real models read, without `[CLS]` and `[SEP]`. */
const MAX_TOKENS = 510;
const MAX_CHARACTERS = 16_384;

/** Coordinates that one token changes. With fewer, unrelated texts collide; more cost time. */
const COORDINATES_A_TOKEN = 4;

/** The largest weight of a document's token, after the gateway's log1p. The real model's weights are from 0 to 3. */
const LARGEST_WEIGHT = 1.6;
const SATURATION = 0.6;

/** Tokens with at least this query weight have full weight in a document. */
const FULL_WEIGHT = 3;

/** Weight in a dense vector of a token without its own weight: a byte outside ASCII. */
const BYTE_WEIGHT = 0.5;

/** Creates a stand-in model with the generated vocabulary. */
export async function createLexicalModel(): Promise<LexicalModel> {
  const files = parseModelFiles(generatedModelFiles());
  const model = await createSparseModel(files);
  const idOf = (token: string) => files.vocabulary.get(token) ?? 0;
  const tokensOf = (text: string) => model.tokenize(cutCharacters(text, MAX_CHARACTERS));

  const frequencies = (text: string) => {
    const counts = new Map<string, number>();
    for (const token of tokensOf(text).slice(0, MAX_TOKENS)) counts.set(token, (counts.get(token) ?? 0) + 1);
    return counts;
  };

  return {
    count: (text) => tokensOf(text).length + 2,

    dense(text, dimension, seed) {
      // The real model is trained to ignore the instruction, and Cohere's gets none.
      const content = text.startsWith(BGE_QUERY_PREFIX) ? text.slice(BGE_QUERY_PREFIX.length) : text;
      const vector = new Array<number>(dimension).fill(0);
      // As with the real model, a text without tokens also has a vector.
      spread(vector, "[CLS]", 0.1, seed);
      for (const [token, count] of frequencies(content)) {
        spread(vector, token, (model.weight(token) ?? BYTE_WEIGHT) * (1 + Math.log(count)), seed);
      }
      const length = Math.hypot(...vector);
      return vector.map((component) => Math.fround(component / length));
    },

    sparse(text) {
      const entries = [...frequencies(text)].map(([token, count]) => {
        const importance = Math.min(1, (model.weight(token) ?? 0) / FULL_WEIGHT);
        const weight = LARGEST_WEIGHT * (count / (count + SATURATION)) * importance;
        return { index: idOf(token), value: Math.fround(Math.expm1(weight)) };
      });
      const found = entries.filter(({ value }) => value > 0);
      const [, , cls = 101, sep = 102] = SPECIAL_IDS;
      return [{ index: cls, value: 0.5 }, { index: sep, value: 0.25 }, ...found].sort((a, b) => a.index - b.index);
    },
  };
}

/** Adds a token to a vector at a few coordinates. Coordinates and signs are derived from the token's hash. */
function spread(vector: number[], token: string, weight: number, seed: number): void {
  for (let i = 0; i < COORDINATES_A_TOKEN; i += 1) {
    const hash = fnv1a(`${seed}:${i}:${token}`);
    const at = (hash >>> 1) % vector.length;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? weight : -weight);
  }
}

/** Computes FNV-1a over UTF-16 units, with a final mix because its low bits alone are weak. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
