/** Property by which hits are compared: values of a keyword field, or a vector. */
export type Trait = { values: readonly string[] } | { vector: readonly number[] };

/**
 * Returns the order of hits by maximal marginal relevance (Carbonell and Goldstein 1998): each next hit maximizes `(1 -
 * weight) * relevance - weight * similarity`, where similarity is that to the most similar earlier hit. Relevance is `1
 * / log2(rank + 1)`, since scores of a plain search have no upper bound. A hit without a trait is similar to none. Ties
 * keep their order.
 */
export function byMarginalRelevance(traits: ReadonlyArray<Trait | undefined>, weight: number): number[] {
  const nearest = traits.map(() => 0);
  const norms = traits.map((trait) => (trait && "vector" in trait ? Math.hypot(...trait.vector) : 0));
  const left = new Set(traits.keys());
  const order: number[] = [];
  for (let best = 0; left.size > 0; ) {
    let most = Number.NEGATIVE_INFINITY;
    for (const place of left) {
      const value = (1 - weight) / Math.log2(place + 2) - weight * (nearest[place] as number);
      if (value <= most) continue;
      most = value;
      best = place;
    }
    left.delete(best);
    order.push(best);
    for (const place of left) {
      const norm = (norms[best] as number) * (norms[place] as number);
      nearest[place] = Math.max(nearest[place] as number, similarity(traits[best], traits[place], norm));
    }
  }
  return order;
}

/** Returns the similarity of two hits in [0, 1]: the cosine of their vectors, or whether they share a value. */
function similarity(one: Trait | undefined, other: Trait | undefined, norm: number): number {
  if (!one || !other) return 0;
  if ("values" in one) return "values" in other && one.values.some((value) => other.values.includes(value)) ? 1 : 0;
  if (!("vector" in other) || one.vector.length !== other.vector.length || norm === 0) return 0;
  let dot = 0;
  for (let at = 0; at < one.vector.length; at += 1) dot += (one.vector[at] as number) * (other.vector[at] as number);
  return Math.min(1, Math.max(0, dot / norm));
}

/**
 * Returns the order in which at most `max` hits of each group come first, followed by the others. A hit with several
 * values counts in each of their groups; one without a value in none.
 */
export function limitGroups(
  order: readonly number[],
  groups: ReadonlyArray<readonly string[] | undefined>,
  max: number,
): number[] {
  const counts = new Map<string, number>();
  const first: number[] = [];
  const others: number[] = [];
  for (const place of order) {
    const values = groups[place] ?? [];
    if (values.some((value) => (counts.get(value) ?? 0) >= max)) others.push(place);
    else {
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
      first.push(place);
    }
  }
  return [...first, ...others];
}
