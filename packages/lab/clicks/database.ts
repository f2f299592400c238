import type { EventLogColumn, SearchLogColumn } from "@relevance/lib/platform/contract/log-columns.ts";
import { type Database, literals, withDatabase } from "@relevance/lib/platform/sql/database.ts";
import { shownText, textKey } from "@relevance/lib/platform/words.ts";

/** Stored lines: files of the request log and of events, gzipped or not. */
export interface StoredLog {
  searches: readonly string[];
  events: readonly string[];
  /** Folder for what does not fit into memory. */
  scratch: string;
}

/** The searches that count: those answered from `from` until before `until`. */
export interface Period {
  from: Date;
  until: Date;
}

const SEARCH_COLUMNS = {
  query_id: "VARCHAR",
  client_id: "VARCHAR",
  user_id: "VARCHAR",
  user_query: "VARCHAR",
  query: "VARCHAR",
  query_attributes: "JSON",
  timestamp: "VARCHAR",
  object_id_field: "VARCHAR",
  query_response_hit_ids: "VARCHAR[]",
  total: "BIGINT",
} satisfies Partial<Record<SearchLogColumn, string>>;
const EVENT_COLUMNS = { query_id: "VARCHAR", action_name: "VARCHAR", event_attributes: "JSON" } satisfies Partial<
  Record<EventLogColumn, string>
>;

/**
 * Runs work with a database in memory that has three tables: `search`, once for each query_id, with equal texts in their
 * most frequent spelling; `shown`, with each hit of a search and its rank from the first page; and `click`, with each
 * clicked object of a search once.
 */
export function withLog<T>(
  log: StoredLog,
  { from, until }: Period,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const files = [...log.searches, ...log.events];
  return withDatabase({ folder: log.scratch, files }, async (database) => {
    database.define("text_key", textKey);
    database.define("shown_text", shownText);
    await database.run(
      `CREATE TABLE search AS
        WITH line AS (SELECT DISTINCT ON (query_id) query_id, object_id_field, total, query_response_hit_ids AS ids,
          coalesce(user_id, client_id) AS identity, try_cast(timestamp AS TIMESTAMPTZ)::DATE AS day,
          text_key(user_query) AS key, lower(shown_text(user_query)) AS text,
          coalesce(try_cast(CASE WHEN json_valid(query) THEN json_extract_string(query, '$.from') END AS INTEGER), 0)
            AS skipped,
          json_extract_string(query_attributes, '$.index') AS index_name,
          json_extract_string(query_attributes, '$.template') AS template,
          json_extract_string(query_attributes, '$.experiment.name') AS experiment,
          json_extract_string(query_attributes, '$.experiment.variant') AS variant,
          json_extract(query_attributes, '$.experiment.teams')::VARCHAR[] AS teams,
          try_cast(json_extract_string(query_attributes, '$.milliseconds.total') AS DOUBLE) AS milliseconds,
          coalesce(json_array_length(query_attributes, '$.degraded'), 0) > 0 AS is_degraded
        FROM (${lines(log.searches, SEARCH_COLUMNS)})
        WHERE query_id IS NOT NULL AND try_cast(timestamp AS TIMESTAMPTZ) >= $from::TIMESTAMPTZ
          AND try_cast(timestamp AS TIMESTAMPTZ) < $until::TIMESTAMPTZ
        ), counted AS (SELECT *, count(*) OVER (PARTITION BY key, text) AS uses FROM line)
        SELECT * EXCLUDE (key, text, uses), first_value(text) OVER (PARTITION BY key ORDER BY uses DESC, text) AS query
        FROM counted`,
      { from: from.toISOString(), until: until.toISOString() },
    );
    await database.run(
      "CREATE VIEW shown AS SELECT query_id, unnest(ids) AS document, skipped + generate_subscripts(ids, 1) AS rank FROM search",
    );
    await database.run(
      `CREATE TABLE click AS
        SELECT DISTINCT query_id, json_extract_string(event_attributes, '$.object.object_id') AS document
        FROM (${lines(log.events, EVENT_COLUMNS)}) WHERE action_name = 'click' AND query_id IS NOT NULL`,
    );
    return work(database);
  });
}

/** Returns a query of all lines. A line that is no JSON, as one that CloudWatch cut, is skipped. */
export function lines(files: readonly string[], columns: Readonly<Record<string, string>>): string {
  const named = Object.entries(columns).map(([name, type]) => `${name}: '${type}'`);
  if (files.length === 0) {
    const empty = Object.entries(columns).map(([name, type]) => `NULL::${type} AS ${name}`);
    return `SELECT ${empty.join(", ")} LIMIT 0`;
  }
  return `SELECT * FROM read_json(${literals(files)}, format = 'newline_delimited', ignore_errors = true, maximum_object_size = 1048576, compression = 'auto_detect', columns = {${named.join(", ")}})`;
}
