import type { Scored } from "./best.ts";
import { coOccurrence } from "./co-occurrence.ts";
import { type Columns, type Matrix, usersOf } from "./matrix.ts";
import type { Neighbours } from "./suggest.ts";

/** Items with fewer users than this ("rare") get neighbours by text: their users are too few to learn from. */
const RARE = 20;

/**
 * Returns functions that find the neighbours of an item, in their stored form. `byFactors` finds those of the items that
 * have factors; the others have neighbours by common users.
 */
export function neighboursIn(
  matrix: Matrix,
  columns: Columns,
  byText: (item: number) => Scored[],
  byFactors?: (item: number) => Scored[] | undefined,
) {
  const together = coOccurrence(matrix, columns);
  return {
    /** Returns neighbours of an item by its users. */
    byUsers: (item: number): Neighbours<number> => stored(byFactors?.(item) ?? together(item)),
    /** Returns neighbours of a rare item by text; none for other items. */
    ofKind: (item: number): Neighbours<number> => stored(usersOf(columns, item) < RARE ? byText(item) : []),
  };
}

const stored = (scored: readonly Scored[]): Neighbours<number> => ({
  items: scored.map(({ item }) => item),
  scores: scored.map(({ score }) => Number(score.toPrecision(4))),
});
