const PREFIX = "relevance-target-";

/** Returns the alias of the new index that only the process with this epoch writes through. */
export const targetAlias = ({ id, epoch }: { id: string; epoch: number }): string => `${PREFIX}${id}-${epoch}`;

/** Returns whether a name is such an alias. */
export const isRebuild = (name: string): boolean => name.startsWith(PREFIX);
