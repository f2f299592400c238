import { type Scored, takeBest } from "./best.ts";
import { type Columns, endOf, type Matrix, usersOf } from "./matrix.ts";

/** Neighbours stored for an item: more than a list has, because filters and exclusions remove some. */
export const NEIGHBOURS = 100;

/**
 * The λ of the shrinkage n / (n + λ): with λ common users, a similarity counts half. Two items with one common user are
 * hardly neighbours.
 */
const SHRINKAGE = 10;

/**
 * Returns a function that finds the neighbours of an item: items with which it has many users in common, best first.
 *
 * The similarity is the cosine of two items over users of unit length, so that a user of many items says less about each
 * pair (Deshpande and Karypis, "Item-based top-N recommendation algorithms", ACM TOIS 2004), shrunk by n / (n + λ) for n
 * common users, so that chance in few of them does not make neighbours (Bell and Koren, "Improved neighborhood-based
 * collaborative filtering", KDD Cup 2007). Memory: one number for each item, beside the matrix. Time: for all items, the
 * sum of the squares of the users' numbers of items, so bounded by the events times the longest history.
 */
export function coOccurrence(matrix: Matrix, columns: Columns) {
  const scores = new Float64Array(matrix.items);
  const common = new Int32Array(matrix.items);
  const weights = Float64Array.from({ length: matrix.users }, (_, user) => {
    const count = endOf(matrix, user) - (matrix.startOfUser[user] as number);
    return count === 0 ? 0 : 1 / count;
  });
  const lengths = Float64Array.from({ length: matrix.items }, (_, item) => {
    let squares = 0;
    const end = columns.startOfItem[item + 1] as number;
    for (let at = columns.startOfItem[item] as number; at < end; at += 1) {
      squares += weights[columns.userOf[at] as number] as number;
    }
    return Math.sqrt(squares);
  });
  return (item: number, count = NEIGHBOURS): Scored[] => {
    if (usersOf(columns, item) === 0) return [];
    const touched: number[] = [];
    const end = columns.startOfItem[item + 1] as number;
    for (let at = columns.startOfItem[item] as number; at < end; at += 1) {
      const user = columns.userOf[at] as number;
      const weight = weights[user] as number;
      const last = endOf(matrix, user);
      for (let place = matrix.startOfUser[user] as number; place < last; place += 1) {
        const other = matrix.itemOf[place] as number;
        if (common[other] === 0) touched.push(other);
        common[other] = (common[other] as number) + 1;
        scores[other] = (scores[other] as number) + weight;
      }
    }
    const own = lengths[item] as number;
    for (const other of touched) {
      const users = common[other] as number;
      const cosine = (scores[other] as number) / (own * (lengths[other] as number));
      scores[other] = other === item ? 0 : (cosine * users) / (users + SHRINKAGE);
      common[other] = 0;
    }
    return takeBest(scores, touched, count);
  };
}
