import { type Database, withDatabase } from "@relevance/lib/platform/sql/database.ts";
import { lines, type Period } from "../clicks/database.ts";

/** Stored lines: files of the service's request log and of its events, gzipped or not. */
export interface RecommendationLog {
  answers: readonly string[];
  events: readonly string[];
  /** Folder for what does not fit into memory. */
  scratch: string;
}

/** Hours in which an event may follow from a list. */
export const HOURS = 24;

const ANSWER_COLUMNS = {
  request_id: "VARCHAR",
  recommendation_id: "VARCHAR",
  user_id: "VARCHAR",
  endpoint: "VARCHAR",
  placement: "VARCHAR",
  experiment: "VARCHAR",
  variant: "VARCHAR",
  item_ids: "VARCHAR[]",
  fallback: "JSON",
  degraded: "JSON",
  milliseconds: "DOUBLE",
  timestamp: "VARCHAR",
};
const EVENT_COLUMNS = {
  EVENT_ID: "VARCHAR",
  USER_ID: "VARCHAR",
  SESSION_ID: "VARCHAR",
  ITEM_ID: "VARCHAR",
  EVENT_TYPE: "VARCHAR",
  TIMESTAMP: "BIGINT",
  RECOMMENDATION_ID: "VARCHAR",
};

/** Whether a user of the log is a hash: it looks like one, and no event names it. */
const IS_HASHED = `(regexp_full_match(user_id, '[0-9a-f]{64}')
            AND NOT EXISTS (SELECT 1 FROM event WHERE event.user = user_id OR event.session = user_id))`;

/**
 * Runs work with a database in memory that has these tables: `answer`, once for each request, with its items, and whether
 * an event can be found that followed from it; `event`, once for each EVENT_ID; `told`, the same by user and by session; `popularity`, each item with the number of users with an event on it and its place by that number;
 * and `followed`, with each event that followed from an answer, and the rank of its item there.
 *
 * An event with a RECOMMENDATION_ID follows from the answer with it. Another one follows from the last answer to the same
 * user, or to the session, that has the item, if that is at most {@link HOURS} ago.
 */
export function withRecommendations<T>(
  { answers, events, scratch }: RecommendationLog,
  { from, until }: Period,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withDatabase({ folder: scratch, files: [...answers, ...events] }, async (database) => {
    await database.run(
      `CREATE TABLE event AS
        SELECT DISTINCT ON (EVENT_ID) EVENT_ID AS event, USER_ID AS user, SESSION_ID AS session, ITEM_ID AS item,
          EVENT_TYPE AS type, TIMESTAMP AS second, RECOMMENDATION_ID AS recommendation_id
        FROM (${lines(events, EVENT_COLUMNS)})
        WHERE EVENT_ID IS NOT NULL AND TIMESTAMP >= floor(epoch($from::TIMESTAMPTZ))
          AND TIMESTAMP < epoch($until::TIMESTAMPTZ) + ${HOURS} * 3600`,
      { from: from.toISOString(), until: until.toISOString() },
    );
    await database.run(
      `CREATE TABLE answer AS
        SELECT DISTINCT ON (request_id) request_id AS id, recommendation_id, coalesce(placement, endpoint) AS place,
          experiment, variant, user_id AS identity,
          recommendation_id IS NOT NULL OR (user_id IS NOT NULL AND NOT ${IS_HASHED}) AS is_followable, coalesce(item_ids, []) AS ids,
          fallback IS NOT NULL AND fallback::VARCHAR <> 'null' AS is_fallback,
          coalesce(json_array_length(degraded), 0) > 0 AS is_degraded, milliseconds,
          floor(epoch(try_cast(timestamp AS TIMESTAMPTZ)))::BIGINT AS second
        FROM (${lines(answers, ANSWER_COLUMNS)})
        WHERE request_id IS NOT NULL AND try_cast(timestamp AS TIMESTAMPTZ) >= $from::TIMESTAMPTZ
          AND try_cast(timestamp AS TIMESTAMPTZ) < $until::TIMESTAMPTZ`,
      { from: from.toISOString(), until: until.toISOString() },
    );
    await database.run(
      `CREATE TABLE popularity AS
        SELECT item, count(DISTINCT user) AS users, row_number() OVER (ORDER BY count(DISTINCT user) DESC, item) AS place
        FROM event GROUP BY item`,
    );
    await database.run(
      `CREATE VIEW told AS
        SELECT user AS identity, event, type, item, second, recommendation_id FROM event
        UNION SELECT session, event, type, item, second, recommendation_id FROM event`,
    );
    await database.run(
      `CREATE VIEW shown AS SELECT id, identity, recommendation_id, second, unnest(ids) AS item, generate_subscripts(ids, 1) AS rank FROM answer`,
    );
    await database.run(
      `CREATE TABLE followed AS
        SELECT shown.id, event.event, event.type, shown.rank FROM event JOIN shown USING (recommendation_id, item)
        UNION ALL
        SELECT id, event, type, rank FROM (
          SELECT shown.id, told.event, told.type, shown.rank,
            row_number() OVER (PARTITION BY told.event ORDER BY shown.second DESC, shown.id) AS turn
          FROM told JOIN shown ON told.item = shown.item AND told.identity = shown.identity
            AND told.second BETWEEN shown.second AND shown.second + ${HOURS} * 3600
          WHERE told.recommendation_id IS NULL
        ) WHERE turn = 1`,
    );
    return work(database);
  });
}
