import type { Rewritten } from "../page/rewritten.ts";
import type { Effects } from "../rules/effects.ts";
import { type RuledSearches, safeEffects } from "./rules.ts";

/** What changes the query of a search. */
interface Changes<Query> {
  effects: Effects;
  ruled: RuledSearches;
  /** The query with synonyms, which are looked up after rules have replaced its text. */
  rewritten: Rewritten<Query>;
}

/** Sends a search with a body, and with other bodies if the cluster refuses that. */
export type Attempt = <Answer extends object>(send: (body: string) => Promise<Answer>) => Promise<Answer>;

/**
 * Returns what sends the searches of a query with rules and synonyms. If the cluster refuses that, they are sent without
 * synonyms, then without what it may refuse of rules, with synonyms first. `bodyOf` puts rules around a query, so that synonyms
 * change no filter of theirs.
 */
export function attemptsOf<Query>(
  { effects, ruled, rewritten }: Changes<Query>,
  query: Query,
  bodyOf: (effects: Effects, query: Query) => string,
): Attempt {
  const bodiesWith = (own: Effects) => {
    const original = bodyOf(own, query);
    return { original, rewritten: rewritten.query === query ? original : bodyOf(own, rewritten.query) };
  };
  const full = bodiesWith(effects);
  const safe = () => bodiesWith(safeEffects(effects));
  return (send) => ruled.send(full, safe, (bodies) => rewritten.attempt(bodies, send));
}
