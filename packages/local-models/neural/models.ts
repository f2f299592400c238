import { random } from "@relevance/demo-data/random.ts";
import { once } from "@relevance/lib/platform/resilience/once.ts";
import { cutCharacters } from "@relevance/lib/search/embeddings/batches.ts";
import { parseModelFiles } from "@relevance/lib/search/embeddings/model-files.ts";
import { createSparseModel, readModelFiles } from "@relevance/lib/search/embeddings/sparse-model.ts";
import { BGE_QUERY_PREFIX } from "@relevance/lib/search/embeddings/text-embeddings-inference.ts";
import type { DenseModel, SparseModel } from "../lexical-model.ts";
import type { ModelProcess } from "./model-process.ts";
import type { TextEmbeddings } from "./stored-embeddings.ts";

/** The most tokens that each model reads, without `[CLS]` and `[SEP]`. The dense one was trained with 256 at most. */
const MAX_TOKENS = { dense: 254, sparse: 510 } as const;
const MAX_CHARACTERS = 16_384;

const [CLS, SEP] = [101, 102];

/** Both models behind one tokenizer. */
export interface NeuralModels extends DenseModel, SparseModel {
  /** Computes both embeddings of a text, even of a stored one. */
  compute(text: string): Promise<TextEmbeddings>;
}

/**
 * Returns the real models. `stored` has embeddings that were computed earlier, and is loaded for the first text.
 *
 * @param folder The three files of the sparse model, whose tokenizer both models share.
 */
export async function createNeuralModels(
  folder: string,
  computing: Pick<ModelProcess, "dense" | "sparse">,
  stored: () => (text: string) => TextEmbeddings | undefined,
): Promise<NeuralModels> {
  const tokenizer = await createSparseModel(parseModelFiles(await readModelFiles(folder)));
  const load = once(async () => stored());
  const tokensOf = (text: string) =>
    tokenizer.tokenize(cutCharacters(text, MAX_CHARACTERS)).flatMap((token) => tokenizer.id(token) ?? []);
  const compute = {
    dense: (text: string) => computing.dense([CLS, ...tokensOf(text).slice(0, MAX_TOKENS.dense), SEP]),
    sparse: (text: string) => computing.sparse([CLS, ...tokensOf(text).slice(0, MAX_TOKENS.sparse), SEP]),
  };
  const places = new Map<string, ReturnType<typeof placesOf>>();

  return {
    count: (text) => tokensOf(text).length + 2,

    async dense(text, dimension, seed) {
      const content = text.startsWith(BGE_QUERY_PREFIX) ? text.slice(BGE_QUERY_PREFIX.length) : text;
      const values = (await load())(content)?.dense ?? (await compute.dense(content));
      const key = `${dimension}:${seed}`;
      const at = places.get(key) ?? placesOf(values.length, dimension, seed);
      places.set(key, at);
      const vector = new Array<number>(dimension).fill(0);
      for (const [i, { index, sign }] of at.entries()) vector[index] = (vector[index] ?? 0) + sign * (values[i] ?? 0);
      const length = Math.hypot(...vector);
      return vector.map((value) => Math.fround(value / length));
    },

    async sparse(text) {
      const [ids, weights] = (await load())(text)?.sparse ?? (await compute.sparse(text));
      // The gateway applies the logarithm that Text Embeddings Inference leaves out for the model on AWS.
      return ids.map((index, i) => ({ index, value: Math.fround(Math.expm1(weights[i] ?? 0)) }));
    },

    async compute(text) {
      const [dense, sparse] = await Promise.all([compute.dense(text), compute.sparse(text)]);
      return { dense, sparse };
    },
  };
}

/**
 * Returns where the components stand in a vector of another dimension. In a longer one the other positions are 0, so angles
 * between texts do not change; in a shorter one several share a position. Vectors of different seeds cannot be compared, like
 * those of different models.
 */
function placesOf(width: number, dimension: number, seed: number): { index: number; sign: 1 | -1 }[] {
  const chance = random(seed);
  const all = Array.from({ length: Math.max(width, dimension) }, (_, index) => index);
  return chance.sample(all, width).map((index) => ({ index: index % dimension, sign: chance.next() < 0.5 ? 1 : -1 }));
}
