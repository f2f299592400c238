import type { Scored } from "./best.ts";
import { coOccurrence } from "./co-occurrence.ts";
import { type Columns, type Matrix, usersOf } from "./matrix.ts";
import type { Neighbours } from "./suggest.ts";

/** The pages of items of fewer users show items by their texts: too few people chose them to say what else those like. */
const RARE = 20;

/** Finds the neighbours of items in the form in which they are stored. */
export function neighboursIn(matrix: Matrix, columns: Columns, byText: (item: number) => Scored[]) {
  const together = coOccurrence(matrix, columns);
  return {
    /** Returns the items of the same users. */
    byUsers: (item: number): Neighbours<number> => stored(together(item)),
    /** Returns the items of the same kind as a rare one; none for other items. */
    ofKind: (item: number): Neighbours<number> => stored(usersOf(columns, item) < RARE ? byText(item) : []),
  };
}

const stored = (scored: readonly Scored[]): Neighbours<number> => ({
  items: scored.map(({ item }) => item),
  scores: scored.map(({ score }) => Number(score.toPrecision(4))),
});
