import type { Degradation } from "../../platform/http/degradation.ts";
import type { StageReport } from "./stage.ts";

/** A query and what became of it. */
export interface Rewritten<Query> {
  /** With synonyms; the query itself if it has none. */
  query: Query;
  /**
   * Searches with the rewritten query. If the cluster refuses it, searches with the original one, for the rest of the request:
   * synonyms never make a search fail. `bodies` are those of both queries.
   */
  attempt<Body, Answer extends object>(
    bodies: { rewritten: Body; original: Body },
    send: (body: Body) => Promise<Answer>,
  ): Promise<Answer>;
  /** What the stage did; nothing if the index has no synonyms. */
  reports(): StageReport[];
  degraded(): Degradation[];
}

/** Returns a query that stays as it is. */
export const unchanged = <Query>(query: Query): Rewritten<Query> => ({
  query,
  attempt: ({ original }, send) => send(original),
  reports: () => [],
  degraded: () => [],
});
