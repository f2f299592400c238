import type { Scored } from "../lab/evaluation/recall.ts";
import { type Random, seeded } from "../lib/core/statistics/random.ts";

/** Vectors that are the same in each run, and how near two of them are. */
export interface Planted<V> {
  queries: readonly V[];
  /** Returns the vectors of the documents, one after the other. */
  documents(): () => V;
  /** Returns the function that gives the similarity of each query to a vector. */
  similarities(): (vector: V) => ArrayLike<number>;
}

const SEED = 38;
const CENTRES = 500;

/** Plants dense vectors of length 1: each near one of the centres, which differ in every component. */
export function plantedDense(dimension: number, count: number): Planted<Float32Array> {
  const random = seeded(SEED);
  const vector = () => Float32Array.from({ length: dimension }, () => noise(random));
  const centres = Array.from({ length: CENTRES }, vector);
  const near = (source: Random) => {
    const centre = oneOf(centres, source);
    return unit(centre.map((component) => component + 0.9 * noise(source)));
  };
  const queries = Array.from({ length: count }, () => near(random));
  return {
    queries,
    documents() {
      const source = seeded(SEED + 1);
      return () => near(source);
    },
    similarities() {
      const found = new Float64Array(queries.length);
      return (other) => {
        for (const [at, query] of queries.entries()) {
          let similarity = 0;
          for (let place = 0; place < dimension; place += 1) {
            similarity += (query[place] as number) * (other[place] as number);
          }
          found[at] = similarity;
        }
        return found;
      };
    },
  };
}

/** Weights by the ids of tokens. */
export type Sparse = ReadonlyMap<number, number>;

const VOCABULARY = 30_000;
const TOKENS_OF_CENTRE = 60;
/** Some are drawn twice. */
export const TOKENS_OF_DOCUMENT = 40;
const TOKENS_OF_QUERY = 8;

/** Plants sparse vectors: most tokens are of one of the centres, the others are any of the vocabulary. */
export function plantedSparse(count: number): Planted<Sparse> {
  const random = seeded(SEED);
  const token = (source: Random) => Math.floor(source() * VOCABULARY);
  const centres = Array.from({ length: CENTRES }, () => Array.from({ length: TOKENS_OF_CENTRE }, () => token(random)));
  const near = (source: Random, tokens: number): Sparse => {
    const centre = oneOf(centres, source);
    const one = () => (source() < 0.8 ? oneOf(centre, source) : token(source));
    return new Map(Array.from({ length: tokens }, () => [one(), Number((0.1 + 2.9 * source() ** 2).toFixed(3))]));
  };
  const queries = Array.from({ length: count }, () => near(random, TOKENS_OF_QUERY));
  return {
    queries,
    documents() {
      const source = seeded(SEED + 1);
      return () => near(source, TOKENS_OF_DOCUMENT);
    },
    similarities() {
      const wanted = new Map<number, Array<[query: number, weight: number]>>();
      for (const [at, query] of queries.entries()) {
        for (const [id, weight] of query) wanted.set(id, [...(wanted.get(id) ?? []), [at, weight]]);
      }
      const found = new Float64Array(queries.length);
      return (other) => {
        found.fill(0);
        for (const [id, weight] of other) {
          for (const [at, factor] of wanted.get(id) ?? []) found[at] = (found[at] as number) + weight * factor;
        }
        return found;
      };
    },
  };
}

/** Compares every query with every document and returns the best for each, best first. */
export function exactSearch<V>(planted: Planted<V>, count: number, k: number): Scored[] {
  const next = planted.documents();
  const similarities = planted.similarities();
  const best = planted.queries.map(() => [] as Array<{ id: number; similarity: number }>);
  for (let id = 0; id < count; id += 1) {
    const found = similarities(next());
    for (const [at, list] of best.entries()) {
      const similarity = found[at] as number;
      if (list.length === k && similarity <= (list[k - 1]?.similarity ?? 0)) continue;
      const behind = list.findIndex((one) => one.similarity < similarity);
      list.splice(behind < 0 ? list.length : behind, 0, { id, similarity });
      list.length = Math.min(list.length, k);
    }
  }
  return best.map((list) => ({
    ranking: list.map(({ id }) => `v${id}`),
    scores: list.map(({ similarity }) => similarity),
  }));
}

const oneOf = <T>(list: readonly T[], random: Random) => list[Math.floor(random() * list.length)] as T;

/** Returns roughly normal noise. */
const noise = (random: Random) => random() + random() + random() + random() - 2;

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}
