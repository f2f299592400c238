import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Shown } from "./coec.ts";

/** Stored lines: files of the request log and of events, gzipped or not. */
export interface StoredLog {
  searches: readonly string[];
  events: readonly string[];
}

/** What of the log counts. */
export interface Period {
  from: Date;
  until: Date;
  /** As searches named it; absent for every index. */
  index?: string | undefined;
}

/** What the log says of a period. */
export interface Counted {
  shown: Shown[];
  /** Fields that the ids of hits came from; `_id` unless searches are personalized by another. */
  idFields: string[];
}

/** Ranks below this are seldom seen, and queries that fetch many hits would outweigh the others. */
const MAX_RANK = 50;

const SEARCH_COLUMNS = {
  query_id: "VARCHAR",
  user_query: "VARCHAR",
  query: "VARCHAR",
  timestamp: "VARCHAR",
  query_attributes: "JSON",
  object_id_field: "VARCHAR",
  query_response_hit_ids: "VARCHAR[]",
};
const EVENT_COLUMNS = { query_id: "VARCHAR", action_name: "VARCHAR", event_attributes: "JSON" };

/**
 * Counts how often each hit was shown and clicked at each rank, by the text that the user typed; texts that differ only
 * in case and blanks are one. A line or a click that is stored twice counts once. A rank counts from the first page.
 */
export async function shownAndClicked(log: StoredLog, { from, until, index }: Period): Promise<Counted> {
  if (log.searches.length === 0) return { shown: [], idFields: [] };
  return withDatabase(async (database) => {
    await database.run(`CREATE TABLE events AS ${lines(log.events, EVENT_COLUMNS)}`);
    await database.run(
      `CREATE TABLE search AS
          SELECT DISTINCT ON (query_id) query_id, object_id_field,
            lower(trim(regexp_replace(user_query, '\\s+', ' ', 'g'))) AS query,
            coalesce(try_cast(CASE WHEN json_valid(query) THEN json_extract_string(query, '$.from') END AS INTEGER), 0) AS skipped,
            query_response_hit_ids AS ids
          FROM (${lines(log.searches, SEARCH_COLUMNS)})
          WHERE query_id IS NOT NULL AND trim(user_query) <> ''
            AND try_cast(timestamp AS TIMESTAMPTZ) >= $from::TIMESTAMPTZ AND try_cast(timestamp AS TIMESTAMPTZ) < $until::TIMESTAMPTZ
            AND ($index IS NULL OR json_extract_string(query_attributes, '$.index') = $index)`,
      { from: from.toISOString(), until: until.toISOString(), index: index ?? null },
    );
    const shown = await database.runAndReadAll(
      `WITH
        shown AS (
          SELECT query_id, query, unnest(ids) AS document, skipped + generate_subscripts(ids, 1) AS rank FROM search
        ),
        click AS (
          SELECT DISTINCT query_id, json_extract_string(event_attributes, '$.object.object_id') AS document
          FROM events WHERE action_name = 'click' AND query_id IS NOT NULL
        )
      SELECT shown.query, shown.document, shown.rank::INTEGER AS rank, count(*)::DOUBLE AS impressions,
        count(click.query_id)::DOUBLE AS clicks
      FROM shown LEFT JOIN click USING (query_id, document)
      WHERE shown.rank <= ${MAX_RANK}
      GROUP BY ALL ORDER BY ALL`,
    );
    const fields = await database.runAndReadAll(
      "SELECT DISTINCT object_id_field FROM search WHERE len(ids) > 0 ORDER BY ALL",
    );
    return {
      shown: shown.getRowObjectsJS() as unknown as Shown[],
      idFields: fields.getRowsJS().map(([field]) => String(field)),
    };
  });
}

/** Runs work with a database in memory. */
async function withDatabase<T>(work: (database: DuckDBConnection) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:");
  const database = await instance.connect();
  try {
    return await work(database);
  } finally {
    database.closeSync();
    instance.closeSync();
  }
}

/** Returns a query of all lines. A line that is no JSON, as one that CloudWatch cut, is skipped. */
function lines(files: readonly string[], columns: Readonly<Record<string, string>>): string {
  const named = Object.entries(columns).map(([name, type]) => `${name}: '${type}'`);
  if (files.length === 0) {
    const empty = Object.entries(columns).map(([name, type]) => `NULL::${type} AS ${name}`);
    return `SELECT ${empty.join(", ")} LIMIT 0`;
  }
  const list = files.map((file) => `'${file.replaceAll("'", "''")}'`).join(", ");
  return `SELECT * FROM read_json([${list}], format = 'newline_delimited', ignore_errors = true, maximum_object_size = 1048576, compression = 'auto_detect', columns = {${named.join(", ")}})`;
}
