/** An item with its score. */
export interface Scored {
  item: number;
  score: number;
}

/**
 * Returns the best `count` of the items whose score is above 0, and sets the scores of all `touched` items to 0 again. Of
 * equal scores the more popular item, which has the lower number, comes first, so that the result never depends on the
 * order of the input.
 */
export function takeBest(scores: Float64Array, touched: readonly number[], count: number): Scored[] {
  const heap: Scored[] = [];
  for (const item of touched) {
    const score = scores[item] as number;
    scores[item] = 0;
    if (score <= 0) continue;
    if (heap.length < count) {
      heap.push({ item, score });
      up(heap);
    } else if (isWorse(heap[0] as Scored, { item, score })) {
      heap[0] = { item, score };
      down(heap);
    }
  }
  return heap.sort((a, b) => b.score - a.score || a.item - b.item);
}

const isWorse = (a: Scored, b: Scored) => a.score < b.score || (a.score === b.score && a.item > b.item);

/** Moves an entry up. The root of the heap is the worst entry. */
function up(heap: Scored[]): void {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (!isWorse(heap[at] as Scored, heap[parent] as Scored)) return;
    at = swap(heap, at, parent);
  }
}

function down(heap: Scored[]): void {
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    let worst = at;
    if (left < heap.length && isWorse(heap[left] as Scored, heap[worst] as Scored)) worst = left;
    if (right < heap.length && isWorse(heap[right] as Scored, heap[worst] as Scored)) worst = right;
    if (worst === at) return;
    at = swap(heap, at, worst);
  }
}

function swap(heap: Scored[], at: number, other: number): number {
  [heap[at], heap[other]] = [heap[other] as Scored, heap[at] as Scored];
  return other;
}
