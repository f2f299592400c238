/** Returns the candidate that `word` probably misspells, if there is one. Ignores case. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) * 0.4));
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Returns the end of a sentence that suggests the candidate which `word` probably misspells; empty if there is none. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const close = nearest(word, candidates);
  return close === undefined ? "" : `: did you mean "${close}"?`;
}

/** The most names that a message lists. */
const MAX_LISTED = 20;

/** Returns advice for a name that does not exist: the one that it probably misspells, and those that exist. */
export function namesThereAre(word: string, known: readonly string[]): string {
  if (known.length === 0) return "there is none";
  const close = nearest(word, known);
  const more = known.length > MAX_LISTED ? `, and ${known.length - MAX_LISTED} more` : "";
  const list = `there ${known.length === 1 ? "is" : "are"} ${known.slice(0, MAX_LISTED).join(", ")}${more}`;
  return close === undefined ? list : `did you mean "${close}"? T${list.slice(1)}`;
}

/** Returns the optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
