import { type Period, type StoredLog, withLog } from "../clicks/database.ts";

/** One user's actions in one variant: sums over their searches. */
export interface UserSums {
  variant: string;
  searches: number;
  /** Searches of which a hit was clicked. */
  clicked: number;
  /** Sum of 1 / rank of the first clicked hit of each search. */
  reciprocal: number;
  /** Searches without any hit. */
  empty: number;
  milliseconds: number;
}

/** The searches of an experiment by user. */
export interface ExperimentLog {
  users: UserSums[];
  /** Users with searches in several variants, which are left out: one of them changed the other's clicks. */
  mixedUsers: number;
  /** Searches of nobody, which are left out: `logging.user_id` is `none`, or the key of the hash could not be read. */
  anonymousSearches: number;
}

/** Sums up the searches and clicks of an experiment for each user, or client where searches name no user. */
export function usersOfExperiment(log: StoredLog, period: Period, experiment: string): Promise<ExperimentLog> {
  return withLog(log, period, async (database) => {
    await database.run(
      `CREATE TABLE part AS
        SELECT identity, variant, count(*)::DOUBLE AS searches, count(first)::DOUBLE AS clicked,
          coalesce(sum(1.0 / first), 0)::DOUBLE AS reciprocal,
          count_if(skipped = 0 AND coalesce(total, len(ids)) = 0)::DOUBLE AS empty,
          coalesce(sum(milliseconds), 0)::DOUBLE AS milliseconds
        FROM search LEFT JOIN (
          SELECT query_id, min(rank) AS first FROM shown JOIN click USING (query_id, document) GROUP BY query_id
        ) USING (query_id)
        WHERE experiment = $experiment GROUP BY ALL`,
      { experiment },
    );
    const several = "(SELECT identity FROM part WHERE identity IS NOT NULL GROUP BY identity HAVING count(*) > 1)";
    const users = await database.rows(
      `SELECT * EXCLUDE (identity) FROM part WHERE identity NOT IN ${several} ORDER BY identity`,
    );
    const [left] = await database.rows(
      `SELECT (SELECT count(*) FROM ${several})::DOUBLE AS mixed,
        (SELECT coalesce(sum(searches), 0) FROM part WHERE identity IS NULL)::DOUBLE AS anonymous`,
    );
    return {
      users: users as unknown as UserSums[],
      mixedUsers: Number(left?.mixed),
      anonymousSearches: Number(left?.anonymous),
    };
  });
}
