import { closeSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { MAX_ID } from "../../personalize/limits.ts";
import type { Dataset, ProfileDataset } from "../../platform/contract/recommendation.ts";
import { literal, withDatabase } from "../../platform/sql/database.ts";
import { digestOf, type Row, type RowPosition } from "./row.ts";

/** The column with the id of a file's rows. Rows of events may lack it. */
const OWN_ID = { user: "USER_ID", item: "ITEM_ID", interaction: "EVENT_ID" } as const;

/** An id that more than one row of a file has. */
interface RepeatedIds {
  /** The number of rows beyond the first of each id. */
  rows: number;
  id: string;
  first: RowPosition;
  second: RowPosition;
}

/** Ids in events that the file of users or items lacks. */
interface UnknownIds {
  events: number;
  /** How many events would match an id after ignoring leading zeros, blanks, case and `.0`. */
  nearly: number;
  /** The most frequent unknown id; the first of several. */
  id: string;
  first: RowPosition;
}

/** Adds the ids of a row. */
export interface IdReport {
  repeated: Partial<Record<Dataset, RepeatedIds>>;
  unknown: Partial<Record<ProfileDataset, UnknownIds>>;
  /** Events without an EVENT_ID that are equal. */
  equal?: Omit<RepeatedIds, "id">;
}

/** Distinct event ids to count in memory before they are written to the file. */
export type AddIds = (dataset: Dataset, row: Row) => void;

/** Characters to buffer before they are written to a file. */
const COUNTED = 50_000;

/** Characters to collect before they are written to a file. */
const BLOCK = 65_536;

/** Reads an id file. `position` orders the rows: by record in a JSON array, otherwise by line. */
const READ = `
SET preserve_insertion_order = false;
CREATE MACRO ids(file) AS TABLE FROM read_csv(
    file, header = false, delim = '\t', quote = '', escape = '', auto_detect = false, max_line_size = 8192, buffer_size = 1048576,
    columns = {events: 'BIGINT', line: 'BIGINT', position: 'BIGINT', id: 'VARCHAR'});
CREATE MACRO loose(id) AS hash(lower(regexp_replace(trim(id), '^0+|\\.0$', '', 'g')));`;

/** Compares hashes first, which takes less memory than ids: few different ids have an equal hash. */
const repeated = (file: string) => `
WITH suspected AS (SELECT hash(id) AS id_hash FROM ids(${file}) GROUP BY id_hash HAVING count(*) > 1),
repeated AS (
    SELECT id, count(*) - 1 AS again, min(position, 2) AS positions, arg_min(line, position, 2) AS lines
    FROM ids(${file}) SEMI JOIN suspected ON hash(id) = id_hash
    GROUP BY id
    HAVING again > 0
)
SELECT sum(again)::BIGINT AS rows, unnest(arg_min({id: id, positions: positions, lines: lines}, positions[1]))
FROM repeated
HAVING rows > 0`;

const unknown = (named: string, known: string) => `
WITH unmatched AS (
    SELECT id, sum(events) AS events, min(position) AS position, arg_min(line, position) AS line
    FROM ids(${named}) ANTI JOIN (SELECT hash(id) AS id_hash FROM ids(${known})) ON hash(id) = id_hash
    GROUP BY id
)
SELECT
    sum(events)::BIGINT AS events, unnest(arg_max({id: id, position: position, line: line}, (events, -position))),
    coalesce(sum(events) FILTER (loose(id) IN (SELECT loose(id) FROM ids(${known}))), 0)::BIGINT AS nearly
FROM unmatched
HAVING sum(events) > 0`;

/**
 * Runs `work`, which adds the rows of some files, then compares their ids. Takes bounded memory for any number of ids:
 * they are written to the folder for temporary files, and a database compares them.
 */
export function withIds<T>(
  given: readonly Dataset[],
  work: (add: AddIds) => Promise<T>,
): Promise<{ result: T; ids: IdReport }> {
  return withDatabase({ folder: tmpdir(), memoryMb: 128, threads: 1 }, async (database) => {
    const file = (name: string) => join(database.folder, `${name}.tsv`);
    const own = { user: list(file("user")), item: list(file("item")), interaction: list(file("interaction")) };
    const named = { user: counts(list(file("named-user"))), item: counts(list(file("named-item"))) };
    const rows = list(file("rows"));
    const inArray = new Set<Dataset>();
    const result = await work((dataset, { values, line, record }) => {
      if (record !== undefined) inArray.add(dataset);
      const position = record ?? line;
      const id = values.get(OWN_ID[dataset]);
      if (id !== undefined) own[dataset].add(1, line, position, String(id));
      if (dataset !== "interaction") return;
      if (id === undefined) rows.add(1, line, position, digestOf(values).toString("base64url"));
      named.user.add(values.get("USER_ID"), position, line);
      named.item.add(values.get("ITEM_ID"), position, line);
    });
    for (const one of [...Object.values(named), ...Object.values(own), rows]) one.close();
    await database.run(READ);
    const place = (dataset: Dataset, line: number | undefined, position: number): RowPosition =>
      inArray.has(dataset) ? { line: line ?? 0, record: position } : { line: line ?? 0 };
    const repeatedIn = async (dataset: Dataset, ids: string): Promise<RepeatedIds | undefined> => {
      const [row] = await database.rows(repeated(ids));
      if (!row) return undefined;
      const { rows, id, lines, positions } = v.parse(Repeated, row);
      const [first, second] = positions.map((position, index) => place(dataset, lines[index], position));
      return first && second && { rows, id, first, second };
    };
    const ids: IdReport = { repeated: {}, unknown: {} };
    for (const dataset of given) {
      const known = literal(file(dataset));
      const again = await repeatedIn(dataset, known);
      if (again) ids.repeated[dataset] = again;
      if (dataset === "interaction") {
        const equal = await repeatedIn(dataset, literal(file("rows")));
        if (equal) ids.equal = equal;
        continue;
      }
      for (const row of await database.rows(unknown(literal(file(`named-${dataset}`)), known))) {
        const { id, events, nearly, line, position } = v.parse(Unknown, row);
        ids.unknown[dataset] = { events, nearly, id, first: place("interaction", line, position) };
      }
    }
    return { result, ids };
  });
}

const Count = v.pipe(v.bigint(), v.transform(Number));
const Repeated = v.object({ rows: Count, id: v.string(), lines: v.array(Count), positions: v.array(Count) });
const Unknown = v.object({ id: v.string(), events: Count, nearly: Count, line: Count, position: Count });

/** Writes ids to a file, one a line. */
function list(file: string) {
  const target = openSync(file, "w");
  let block = "";
  const write = () => {
    writeSync(target, block);
    block = "";
  };
  return {
    add(events: number, line: number, position: number, id: string) {
      // Shortens ids that the service would not accept anyway.
      const short = id.slice(0, 2 * MAX_ID).replaceAll(/[\t\r\n]/g, "\ufffd");
      block += `${events}\t${line}\t${position}\t${short}\n`;
      if (block.length > BLOCK) write();
    },
    close() {
      write();
      closeSync(target);
    },
  };
}

/** Counts the events of each id, and writes the counts when there are many. */
function counts(target: ReturnType<typeof list>) {
  const counted = new Map<string, { position: number; line: number; events: number }>();
  const flush = () => {
    for (const [id, { position, line, events }] of counted) target.add(events, line, position, id);
    counted.clear();
  };
  return {
    add(value: string | number | undefined, position: number, line: number) {
      if (value === undefined) return;
      const id = String(value);
      const known = counted.get(id);
      if (known) known.events += 1;
      else counted.set(id, { position, line, events: 1 });
      if (counted.size >= COUNTED) flush();
    },
    close() {
      flush();
      target.close();
    },
  };
}
