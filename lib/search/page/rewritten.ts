import type { Degradation } from "../../platform/http/degradation.ts";
import type { StageReport } from "./stage.ts";

/** A query after rewriting, and the result of the rewriting. */
export interface Rewritten<Query> {
  /** The query with synonyms, or the original query if it has none. */
  query: Query;
  /**
   * Searches with the rewritten query. If the cluster refuses it, uses the original one for the rest of the request:
   * synonyms never make a search fail. `bodies` are those of both queries.
   */
  attempt<Body, Answer extends object>(
    bodies: { rewritten: Body; original: Body },
    send: (body: Body) => Promise<Answer>,
  ): Promise<Answer>;
  /** Returns the stage's report; empty if the index has no synonyms. */
  reports(): StageReport[];
  degraded(): Degradation[];
}

/** Returns a query without rewriting. */
export const unchanged = <Query>(query: Query): Rewritten<Query> => ({
  query,
  attempt: ({ original }, send) => send(original),
  reports: () => [],
  degraded: () => [],
});
