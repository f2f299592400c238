/** Keys cannot reach names that start with a dot, so that only the endpoint decides who gets suggestions. */
const PREFIX = ".relevance-suggestions-";

/** Returns the alias through which the suggestions of an index are read. */
export const suggestionsAlias = (index: string): string => `${PREFIX}${index}`;

/** Returns the index of one run, which ends with its stamp. */
export const suggestionsIndex = (index: string, stamp: string): string => `${PREFIX}${index}-${stamp}`;

/** Returns the alias and the pattern of all suggestions of these indexes, which belong into a role of the cluster. */
export const suggestionsOf = (indexes: readonly string[]): string[] =>
  indexes.flatMap((one) => [suggestionsAlias(one), suggestionsIndex(one, "*")]);

/** Returns the start time of a build from its index name, such as `20261126-080500`; undefined for other names. */
export function stampOf(name: string, index: string): string | undefined {
  const start = `${PREFIX}${index}-`;
  return name.startsWith(start) ? /^(\d{8}-\d{6})-[0-9a-f]{4}$/.exec(name.slice(start.length))?.[1] : undefined;
}
