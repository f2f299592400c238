import type { Scored } from "./best.ts";
import { coOccurrence } from "./co-occurrence.ts";
import { type Columns, type Matrix, usersOf } from "./matrix.ts";
import type { Neighbours } from "./suggest.ts";

/** Items with fewer users than this ("rare") get neighbours by text: their users are too few to learn from. */
const RARE = 20;

/** Returns functions that find the neighbours of an item, in their stored form. */
export function neighboursIn(matrix: Matrix, columns: Columns, byText: (item: number) => Scored[]) {
  const together = coOccurrence(matrix, columns);
  return {
    /** Returns neighbours of an item by common users. */
    byUsers: (item: number): Neighbours<number> => stored(together(item)),
    /** Returns neighbours of a rare item by text; none for other items. */
    ofKind: (item: number): Neighbours<number> => stored(usersOf(columns, item) < RARE ? byText(item) : []),
  };
}

const stored = (scored: readonly Scored[]): Neighbours<number> => ({
  items: scored.map(({ item }) => item),
  scores: scored.map(({ score }) => Number(score.toPrecision(4))),
});
