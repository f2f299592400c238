import { seeded } from "../../platform/statistics/random.ts";
import { type Scored, takeBest } from "./best.ts";
import { NEIGHBOURS } from "./co-occurrence.ts";
import { endOf, type Matrix } from "./matrix.ts";

/** The greatest number of factors. Fewer are the first of these. */
export const MOST_FACTORS = 32;

/** Vectors in the iteration: more than factors, so that the last factors converge, too. */
const WIDTH = MOST_FACTORS + 8;

const ITERATIONS = 10;

/** The most items with factors, most used first: their lists need the time of the square of this number. */
const MOST_ITEMS = 20_000;

/**
 * Returns a function that finds the neighbours of an item by the given number of factors, best first; undefined for items
 * beyond {@link MOST_ITEMS}.
 *
 * The factors V are the first eigenvectors of NᵀN for the matrix N = U^-½ X D^-½, where U counts the items of users and D
 * the users of items. Item j stands beside item i by (D^-½ V Vᵀ D^½)ᵢⱼ: the ideal low-pass filter of GF-CF (Shen et al.,
 * "How powerful is graph convolution for recommendation?", CIKM 2021). Sums of rows rank as a factorization of users and
 * items does, so the lists of items suffice. Memory: WIDTH numbers for each item, twice. Time: ITERATIONS passes over the
 * events, each with 2 · WIDTH multiplications for an event.
 */
export function factorize(matrix: Matrix): (factors: number) => (item: number) => Scored[] | undefined {
  const size = Math.min(matrix.items, MOST_ITEMS);
  const used = new Float64Array(size);
  eachUser(matrix, (itemsOfUser) => {
    for (const item of itemsOfUser) if (item < size) used[item] = (used[item] as number) + 1;
  });
  const roots = used.map(Math.sqrt);
  const random = seeded(1);
  let vectors = Float32Array.from({ length: size * WIDTH }, () => random() - 0.5);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    vectors = orthonormal(multiplied(matrix, vectors, roots), size);
  }
  const scores = new Float64Array(matrix.items);
  return (factors) => (item) => {
    if (item >= size) return undefined;
    const touched: number[] = [];
    const own = vectors.subarray(item * WIDTH, item * WIDTH + factors);
    const scale = 1 / (roots[item] as number);
    if (Number.isFinite(scale)) {
      for (let other = 0; other < size; other += 1) {
        let sum = 0;
        for (let at = 0; at < factors; at += 1) sum += (own[at] as number) * (vectors[other * WIDTH + at] as number);
        if (sum <= 0 || other === item) continue;
        scores[other] = sum * scale * (roots[other] as number);
        touched.push(other);
      }
    }
    return takeBest(scores, touched, NEIGHBOURS);
  };
}

function eachUser(matrix: Matrix, visit: (items: Int32Array) => void): void {
  for (let user = 0; user < matrix.users; user += 1) {
    visit(matrix.itemOf.subarray(matrix.startOfUser[user], endOf(matrix, user)));
  }
}

/** Returns NᵀN times the vectors. */
function multiplied(matrix: Matrix, vectors: Float32Array, roots: Float64Array): Float32Array<ArrayBuffer> {
  const product = new Float32Array(vectors.length);
  const sums = new Float64Array(WIDTH);
  eachUser(matrix, (items) => {
    sums.fill(0);
    for (const item of items) {
      if (item >= roots.length) continue;
      const scale = 1 / (items.length * (roots[item] as number));
      for (let at = 0; at < WIDTH; at += 1) {
        sums[at] = (sums[at] as number) + scale * (vectors[item * WIDTH + at] as number);
      }
    }
    for (const item of items) {
      if (item >= roots.length) continue;
      const scale = 1 / (roots[item] as number);
      for (let at = 0; at < WIDTH; at += 1) {
        const place = item * WIDTH + at;
        product[place] = (product[place] as number) + scale * (sums[at] as number);
      }
    }
  });
  return product;
}

/** Returns the vectors turned and scaled such that they are orthonormal, that of the greatest eigenvalue first. */
function orthonormal(vectors: Float32Array, size: number): Float32Array<ArrayBuffer> {
  const gram = new Float64Array(WIDTH * WIDTH);
  for (let item = 0; item < size; item += 1) {
    const row = vectors.subarray(item * WIDTH, (item + 1) * WIDTH);
    for (let i = 0; i < WIDTH; i += 1) {
      for (let j = 0; j < WIDTH; j += 1) {
        gram[i * WIDTH + j] = (gram[i * WIDTH + j] as number) + (row[i] as number) * (row[j] as number);
      }
    }
  }
  const turns = eigenvectors(gram);
  const values = Float64Array.from({ length: WIDTH }, (_, at) => gram[at * WIDTH + at] as number);
  const order = [...values.keys()].sort((a, b) => (values[b] as number) - (values[a] as number));
  // Data of fewer items or users than vectors have no more directions than these.
  const least = (values[order[0] as number] as number) * 1e-9;
  const turned = new Float32Array(vectors.length);
  for (const [at, column] of order.entries()) {
    const value = values[column] as number;
    if (!(value > least)) break;
    for (let item = 0; item < size; item += 1) {
      let sum = 0;
      for (let i = 0; i < WIDTH; i += 1) {
        sum += (vectors[item * WIDTH + i] as number) * (turns[i * WIDTH + column] as number);
      }
      turned[item * WIDTH + at] = sum / Math.sqrt(value);
    }
  }
  return turned;
}

/** Makes a symmetric matrix diagonal in its place by Jacobi's rotations. Returns its eigenvectors as columns. */
function eigenvectors(matrix: Float64Array): Float64Array {
  const turns = new Float64Array(WIDTH * WIDTH);
  for (let at = 0; at < WIDTH; at += 1) turns[at * WIDTH + at] = 1;
  const rotate = (of: Float64Array, a: number, b: number, cosine: number, sine: number) => {
    const [first, second] = [of[a] as number, of[b] as number];
    of[a] = cosine * first - sine * second;
    of[b] = sine * first + cosine * second;
  };
  // Converges quadratically: ten sweeps are enough for this size.
  for (let sweep = 0; sweep < 10; sweep += 1) {
    for (let p = 0; p < WIDTH; p += 1) {
      for (let q = p + 1; q < WIDTH; q += 1) {
        const apart = matrix[p * WIDTH + q] as number;
        if (apart === 0) continue;
        const theta = ((matrix[q * WIDTH + q] as number) - (matrix[p * WIDTH + p] as number)) / (2 * apart);
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const cosine = 1 / Math.hypot(tangent, 1);
        const sine = tangent * cosine;
        for (let k = 0; k < WIDTH; k += 1) rotate(matrix, k * WIDTH + p, k * WIDTH + q, cosine, sine);
        for (let k = 0; k < WIDTH; k += 1) rotate(matrix, p * WIDTH + k, q * WIDTH + k, cosine, sine);
        for (let k = 0; k < WIDTH; k += 1) rotate(turns, k * WIDTH + p, k * WIDTH + q, cosine, sine);
      }
    }
  }
  return turns;
}
