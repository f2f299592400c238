import type { Database } from "@relevance/lib/platform/sql/database.ts";

/** More clicks on one day are beyond what a person does. */
const MOST_CLICKS_A_DAY = 200;
/** A person who clicks this share of the first hits, in as many searches, would be reading everything. */
const CLICKED_SHARE = 0.5;
const FEWEST_SEARCHES = 10;
/** Of a search with fewer hits, a person may well click half. */
const FEWEST_HITS = 4;
/** Hits that a person sees, of a search that returns more. */
const SEEN = 10;

/** The clients that click as robots do. */
export interface Robots {
  clients: number;
  searches: number;
  clicks: number;
  /** Whether they have most of all clicks, so that the ids are rather those of applications, and nothing is left out. */
  areMost: boolean;
  /** Searches that name neither a user nor a client: nobody can tell whether they are a robot's. */
  anonymous: number;
}

/**
 * Fills the table `robot` with the clients that clicked more than 200 hits on one day, or at least half of their first
 * ten hits in ten searches or more. A volume beyond human limits and an extreme click rate are the criteria of Buehrer,
 * Stokes and Chellapilla, "A large-scale study of automated web search traffic" (AIRWeb 2008). The limits here are what
 * Duskin and Feitelson, "Distinguishing humans from bots in web search logs" (2010), call strong criteria: hardly any
 * person reaches them, so that some robots remain.
 */
export async function markRobots(database: Database): Promise<Robots> {
  await database.run(
    `CREATE TABLE searched AS
      SELECT identity, day, ids, coalesce(clicks, 0) AS clicks
      FROM search LEFT JOIN (
        SELECT query_id, count(*) AS clicks FROM click JOIN shown USING (query_id, document) GROUP BY query_id
      ) USING (query_id)`,
  );
  await database.run(
    `CREATE TABLE robot AS
      SELECT identity FROM searched WHERE identity IS NOT NULL
      GROUP BY identity, day HAVING sum(clicks) > ${MOST_CLICKS_A_DAY}
      UNION
      SELECT identity FROM searched WHERE identity IS NOT NULL AND len(ids) >= ${FEWEST_HITS}
      GROUP BY identity
      HAVING count(*) >= ${FEWEST_SEARCHES} AND sum(clicks) >= ${CLICKED_SHARE} * sum(least(len(ids), ${SEEN}))`,
  );
  const [row] = await database.rows(
    `SELECT (SELECT count(*) FROM robot)::DOUBLE AS clients,
      count_if(is_robot)::DOUBLE AS searches,
      coalesce(sum(clicks) FILTER (is_robot), 0)::DOUBLE AS clicks,
      coalesce(sum(clicks), 0)::DOUBLE AS all_clicks,
      count_if(identity IS NULL)::DOUBLE AS anonymous
    FROM (SELECT *, coalesce(identity IN (SELECT identity FROM robot), false) AS is_robot FROM searched)`,
  );
  const clicks = Number(row?.clicks);
  const areMost = 2 * clicks > Number(row?.all_clicks);
  if (areMost) await database.run("DELETE FROM robot");
  return {
    ...{ clients: Number(row?.clients), searches: Number(row?.searches), clicks, areMost },
    anonymous: Number(row?.anonymous),
  };
}
