/** The first whole word of BERT's vocabulary, `the`. Before it are special, unused and single characters. */
const FIRST_WORD = 1_996;

/**
 * Returns the weight of each token in a query: the logarithm of its rank. BERT's vocabulary is ordered by frequency, and
 * frequencies follow Zipf's law, so this is close to the inverse document frequency in English texts. The model itself has no
 * such table, because it was trained to read queries, too: on Cranfield this costs .018 of an nDCG@10 of .352.
 */
export function weightsByRank(vocabulary: Readonly<Record<string, number>>): Record<string, number> {
  const weighted = Object.entries(vocabulary).filter(([token]) => !/^\[.+\]$/.test(token));
  return Object.fromEntries(
    weighted.map(([token, id]) => [token, Number(Math.log1p(Math.max(1, id - FIRST_WORD + 1)).toFixed(4))]),
  );
}
