/**
 * A hold is an alias of the new index, from the moment when a run blocks writes to the old one until the new one takes its
 * place. Its name says until when the run may switch. Whoever removes the alias decides: the run removes it in the same
 * call that moves the aliases, and after its end a gateway removes it before it lifts the block. The cluster executes
 * only one of the two, because both require that the alias exists.
 */
export interface Hold {
  alias: string;
  /** Milliseconds since 1970. 0: a gateway has ended the hold and is about to lift the block. */
  until: number;
}

/** Returns the alias of a hold on writes to an index. */
export const holdAlias = (source: string, until: number): string => `relevance-hold-${until}-of-${source}`;

/** Returns the aliases that may be holds on writes to an index, as a pattern. */
export const holdPattern = (source: string): string => `relevance-hold-*-of-${source}`;

/** Returns the hold that an alias is, if it is one on writes to this index. */
export function holdOf(alias: string, source: string): Hold | undefined {
  const [, until, held] = /^relevance-hold-(\d+)-of-(.*)$/.exec(alias) ?? [];
  return held === source ? { alias, until: Number(until) } : undefined;
}
