import { random } from "@relevance/demo-data/random.ts";
import { pacer } from "./pace.ts";
import { eventsOf, type TrainingSet } from "./training-set.ts";

/** Item vectors of an implicit-feedback factorization, row by row, and the matrix needed to fold in a user. */
export interface Factors {
  rank: number;
  vectors: Float64Array;
  /** The sum of the outer products of all item vectors, `rank` by `rank`. */
  gram: Float64Array;
}

/** An item of a user's history with its weight. */
export interface Weighted {
  item: number;
  weight: number;
}

/** CONFIDENCE is the extra weight of an observed event. REGULARIZATION keeps the vectors small. */
const CONFIDENCE = 8;
const REGULARIZATION = 6;
const SWEEPS = 6;
const SEED = 20_240_607;

/**
 * Implicit alternating least squares (Hu, Koren, Volinsky 2008): users and items become vectors whose product estimates
 * how likely an event is. Deterministic. Yields regularly to other work of the process.
 *
 * The loops of this file read arrays with `as number` instead of a default for a missing element. They never read past
 * the end, and the check would run in the innermost loop of the training.
 */
export async function factorize(set: TrainingSet, rank: number): Promise<Factors> {
  const userRows = rowsByUser(set);
  const itemRows = transpose(userRows, set.items.length);
  const numbers = random(SEED);
  const vectors = Float64Array.from({ length: set.items.length * rank }, () => (numbers.next() - 0.5) * 0.1);
  const userVectors = new Float64Array(set.users.length * rank);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    await solveAll(userRows, vectors, userVectors, rank);
    await solveAll(itemRows, userVectors, vectors, rank);
  }
  return { rank, vectors, gram: gramOf(vectors, rank) };
}

/** Computes the vector of a user with this history. An empty history gives zeros. */
export function foldIn({ rank, vectors, gram }: Factors, history: readonly Weighted[]): Float64Array {
  const target = new Float64Array(rank);
  if (history.length > 0) new Solver(rank, gram).solve(history, vectors, target);
  return target;
}

/** Returns the product of a user's vector with each item's vector. */
export function products({ rank, vectors }: Factors, user: Float64Array): Float64Array {
  const scores = new Float64Array(vectors.length / rank);
  for (let item = 0; item < scores.length; item += 1) {
    let sum = 0;
    for (let at = 0, place = item * rank; at < rank; at += 1, place += 1)
      sum += (user[at] as number) * (vectors[place] as number);
    scores[item] = sum;
  }
  return scores;
}

function rowsByUser(set: TrainingSet): Weighted[][] {
  return set.users.map((_, user) => {
    const counts = new Map<number, number>();
    for (const item of eventsOf(set, user)) counts.set(item, (counts.get(item) ?? 0) + 1);
    return Array.from(counts, ([item, count]) => ({ item, weight: 1 + Math.log(count) }));
  });
}

function transpose(rows: readonly Weighted[][], width: number): Weighted[][] {
  const columns: Weighted[][] = Array.from({ length: width }, () => []);
  rows.forEach((row, index) => {
    for (const { item, weight } of row) columns[item]?.push({ item: index, weight });
  });
  return columns;
}

async function solveAll(
  rows: readonly Weighted[][],
  fixed: Float64Array,
  solved: Float64Array,
  rank: number,
): Promise<void> {
  const solver = new Solver(rank, gramOf(fixed, rank));
  const pace = pacer();
  for (const [index, row] of rows.entries()) {
    solver.solve(row, fixed, solved.subarray(index * rank, (index + 1) * rank));
    const pause = pace();
    if (pause) await pause;
  }
}

function gramOf(vectors: Float64Array, rank: number): Float64Array {
  const gram = new Float64Array(rank * rank);
  for (let row = 0; row < vectors.length; row += rank) addOuter(gram, vectors, row, rank, 1);
  return gram;
}

/** Adds `weight` times the outer product of a vector to the lower triangle. */
function addOuter(matrix: Float64Array, vectors: Float64Array, start: number, rank: number, weight: number): void {
  for (let i = 0; i < rank; i += 1) {
    const scaled = weight * (vectors[start + i] as number);
    const row = i * rank;
    for (let j = 0; j <= i; j += 1)
      matrix[row + j] = (matrix[row + j] as number) + scaled * (vectors[start + j] as number);
  }
}

/** Solves one user (or item) against fixed items (or users) by Cholesky decomposition. Reuses its buffer for each. */
class Solver {
  #rank: number;
  #gram: Float64Array;
  #matrix: Float64Array;

  constructor(rank: number, gram: Float64Array) {
    this.#rank = rank;
    this.#gram = gram;
    this.#matrix = new Float64Array(rank * rank);
  }

  solve(row: readonly Weighted[], fixed: Float64Array, target: Float64Array): void {
    const rank = this.#rank;
    const matrix = this.#matrix;
    matrix.set(this.#gram);
    for (let i = 0; i < rank; i += 1) matrix[i * rank + i] = (matrix[i * rank + i] as number) + REGULARIZATION;
    target.fill(0);
    for (const { item, weight } of row) {
      const start = item * rank;
      const confidence = CONFIDENCE * weight;
      addOuter(matrix, fixed, start, rank, confidence);
      for (let i = 0; i < rank; i += 1)
        target[i] = (target[i] as number) + (1 + confidence) * (fixed[start + i] as number);
    }
    this.#cholesky();
    this.#substitute(target);
  }

  #cholesky(): void {
    const rank = this.#rank;
    const m = this.#matrix;
    for (let i = 0; i < rank; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        let sum = m[i * rank + j] as number;
        for (let k = 0; k < j; k += 1) sum -= (m[i * rank + k] as number) * (m[j * rank + k] as number);
        m[i * rank + j] = i === j ? Math.sqrt(sum) : sum / (m[j * rank + j] as number);
      }
    }
  }

  #substitute(target: Float64Array): void {
    const rank = this.#rank;
    const m = this.#matrix;
    for (let i = 0; i < rank; i += 1) {
      let sum = target[i] as number;
      for (let k = 0; k < i; k += 1) sum -= (m[i * rank + k] as number) * (target[k] as number);
      target[i] = sum / (m[i * rank + i] as number);
    }
    for (let i = rank - 1; i >= 0; i -= 1) {
      let sum = target[i] as number;
      for (let k = i + 1; k < rank; k += 1) sum -= (m[k * rank + i] as number) * (target[k] as number);
      target[i] = sum / (m[i * rank + i] as number);
    }
  }
}
