import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { random } from "@relevance/demo-data/random.ts";
import { cutCharacters } from "@relevance/lib/search/embeddings/batches.ts";
import { BGE_QUERY_PREFIX } from "@relevance/lib/search/embeddings/text-embeddings-inference.ts";
import type { DenseModel } from "./lexical-model.ts";

/** The files of the small real model, as `installStaticModel` stores them. */
export const STATIC_MODEL_FILES = { weights: "model.safetensors", tokenizer: "tokenizer.json" } as const;

/** The most tokens of a text to use. The mean of more tokens distinguishes texts less. */
const MAX_TOKENS = 510;
const MAX_CHARACTERS = 16_384;

/** The most words whose tokens are cached. */
const CACHED_WORDS = 100_000;

/**
 * Reads a model with one vector per token from a folder. A text's vector is the mean of its tokens' vectors, so it
 * knows related words, but not word order.
 */
export async function readStaticModel(folder: string): Promise<DenseModel> {
  const [weights, tokenizer] = await Promise.all([
    readFile(join(folder, STATIC_MODEL_FILES.weights)),
    readFile(join(folder, STATIC_MODEL_FILES.tokenizer), "utf8"),
  ]);
  const { rows, columns, values } = parseWeights(weights);
  const idsOf = await wordTokenizer(JSON.parse(tokenizer));
  const tokensOf = (text: string) => wordsOf(cutCharacters(text, MAX_CHARACTERS)).flatMap(idsOf);
  const places = new Map<string, ReturnType<typeof placesOf>>();

  return {
    count: (text) => tokensOf(text).length + 2,

    dense(text, dimension, seed) {
      const content = text.startsWith(BGE_QUERY_PREFIX) ? text.slice(BGE_QUERY_PREFIX.length) : text;
      // The model was trained so that its first components alone are a smaller model ("Matryoshka").
      const width = Math.min(columns, dimension);
      const sum = new Float64Array(width);
      for (const id of tokensOf(content).slice(0, MAX_TOKENS)) {
        if (id >= rows) continue;
        for (let i = 0; i < width; i += 1) sum[i] = (sum[i] ?? 0) + (values[id * columns + i] ?? 0);
      }
      const length = Math.hypot(...sum);
      const key = `${dimension}:${seed}`;
      const at = places.get(key) ?? placesOf(width, dimension, seed);
      places.set(key, at);
      const vector = new Array<number>(dimension).fill(0);
      // A text of white space alone has no tokens. The real models give it a vector, too.
      if (length === 0) vector[at[0]?.index ?? 0] = 1;
      else
        for (const [i, { index, sign }] of at.entries()) vector[index] = Math.fround((sign * (sum[i] ?? 0)) / length);
      return vector;
    },
  };
}

/**
 * Returns the positions of the components in a longer vector. The other positions are 0, so angles and distances
 * between texts do not change. Vectors of different seeds cannot be compared, like those of different models.
 */
function placesOf(width: number, dimension: number, seed: number): { index: number; sign: 1 | -1 }[] {
  const chance = random(seed);
  const all = Array.from({ length: dimension }, (_, index) => index);
  return chance.sample(all, width).map((index) => ({ index, sign: chance.next() < 0.5 ? 1 : -1 }));
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/**
 * Returns the token IDs of a word. No token spans two words, so tokenizing word by word gives the same tokens as the
 * whole text, in a hundredth of the time.
 */
async function wordTokenizer(tokenizerJson: object): Promise<(word: string) => number[]> {
  const { Tokenizer } = await import("@huggingface/tokenizers");
  // Typed here because the package's declarations import files without extensions, which nodenext does not resolve.
  type Encoding = { ids: number[] };
  const tokenizer: { encode(text: string, options: { add_special_tokens: boolean }): Encoding } = new Tokenizer(
    tokenizerJson,
    {},
  );
  const cache = new Map<string, number[]>();
  return (word) => {
    const known = cache.get(word);
    if (known) return known;
    if (cache.size >= CACHED_WORDS) cache.clear();
    const { ids } = tokenizer.encode(word, { add_special_tokens: false });
    cache.set(word, ids);
    return ids;
  };
}

interface Weights {
  rows: number;
  columns: number;
  /** Row by row. */
  values: Float32Array;
}

/** Parses a safetensors file with one matrix of half-precision numbers: a length, a JSON header, then the numbers. */
function parseWeights(file: Buffer): Weights {
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString("utf8", 8, 8 + headerLength)) as Record<
    string,
    { dtype: string; shape: number[] }
  >;
  const [tensor] = Object.values(header);
  const [rows = 0, columns = 0] = tensor?.shape ?? [];
  const numbers = file.subarray(8 + headerLength);
  if (tensor?.dtype !== "F16" || rows * columns === 0 || numbers.length !== rows * columns * 2) {
    throw new Error("the weights of the small model are not one matrix of half-precision numbers");
  }
  const values = new Float32Array(rows * columns);
  for (let i = 0; i < values.length; i += 1) values[i] = HALF[numbers.readUInt16LE(i * 2)] ?? 0;
  return { rows, columns, values };
}

/** The value of each half-precision number, indexed by its bits. */
const HALF = Float32Array.from({ length: 65_536 }, (_, bits) => {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
});
