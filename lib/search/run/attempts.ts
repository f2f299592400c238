import type { Rewritten } from "../page/rewritten.ts";
import type { Effects } from "../rules/effects.ts";
import { type RuledSearches, safeEffects } from "./rules.ts";

/** Changes to the query of a search. */
interface Changes<Query> {
  effects: Effects;
  ruled: RuledSearches;
  /** The query with synonyms. They are looked up after rules have replaced the text. */
  rewritten: Rewritten<Query>;
}

/** Sends a search with a body, and with fallback bodies if the cluster refuses it. */
export type Attempt = <Answer extends object>(send: (body: string) => Promise<Answer>) => Promise<Answer>;

/**
 * Returns a function that sends the searches of a query with rules and synonyms. If the cluster refuses a body, the
 * searches are sent without synonyms, then without the risky effects of rules, with synonyms first. `bodyOf` applies
 * rules to a query, so that synonyms do not change the rules' filters.
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
