import { basename, join } from "node:path";
import { download, listed, type ObjectStore } from "../../platform/aws/object-store.ts";
import { type Database, identifier, literal, literals } from "../../platform/sql/database.ts";
import type { AvroSchema } from "../../settings/avro.ts";
import { EtlError, runKeys } from "../etl/run-files.ts";
import type { EventCheck, RunPlan } from "../etl/tasks.ts";
import type { Matrix } from "./matrix.ts";

/**
 * The most pairs of a user and an item in memory, 8 bytes each. If there are more, a share of the users is left out.
 */
const MOST_PAIRS = 40_000_000;

/** The most test users. Otherwise a tenth of all users, as in Personalize. */
const TEST_USERS = 2_000;

/** Reads the files of a run into the tables `item` and `history`. Both identify items by number. */
export async function prepare(
  run: string,
  { definitions, checks }: Pick<RunPlan, "definitions" | "checks">,
  store: ObjectStore,
  engine: Database,
  { mostPairs = MOST_PAIRS } = {},
): Promise<void> {
  const keys = runKeys(run);
  const events = await copied(store, keys.folder("interaction"), engine);
  const items = await copied(store, keys.folder("item"), engine);
  if (events.length === 0) throw new EtlError("There are no events for the built-in engine to learn from");
  const { interaction, item } = definitions.schemas;
  const taken = condition(checks.find(({ name }) => name === "user_personalization") ?? checks[0]);
  await engine.run(
    `CREATE TABLE event AS SELECT USER_ID AS person, ITEM_ID AS item, max(TIMESTAMP::BIGINT) AS latest
    FROM ${read(interaction, events)} WHERE ${taken} GROUP BY ALL`,
  );
  // Items without a record are never recommended. If no items are stored, all items of the events may be.
  const records =
    items.length > 0
      ? `SELECT ITEM_ID AS item, ${text(item)} AS text, ${active(item)} AS active FROM ${read(item, items)}`
      : "SELECT DISTINCT item, '' AS text, 1 AS active FROM event";
  await engine.run(
    `CREATE TABLE item AS
    SELECT item, text, active, coalesce(users, 0) AS users, (row_number() OVER (ORDER BY users DESC NULLS LAST, item) - 1)::INTEGER AS number
    FROM (${records}) LEFT JOIN (SELECT item, count(*) AS users FROM event GROUP BY item) USING (item)`,
  );
  const [counted] = await engine.rows("SELECT count(*)::DOUBLE AS pairs FROM event");
  const permille = Math.floor(Math.min(1, mostPairs / Math.max(1, Number(counted?.pairs))) * 1_000);
  await engine.run(
    `CREATE TABLE history AS SELECT person, number, latest FROM event JOIN item USING (item)
    WHERE md5_number_lower(person) % 1000 < ${permille};
    DROP TABLE event`,
  );
}

/** The tables of {@link prepare} as arrays of numbers. */
export interface Prepared {
  matrix: Matrix;
  /** The ids of the items by number. */
  itemIds: readonly string[];
  /** By item number: 1 if the item may be recommended. */
  isActive: Uint8Array;
  /** By user, in the order of the table `person`: 1 for test users. */
  isTest: Uint8Array;
}

/**
 * Reads the tables of {@link prepare}. Replaces the table `history` by a table `person` with the ids of the users,
 * numbered from 1 by `place`. Lists of their items in SQL would not fit into memory for ten million events.
 */
export async function readPrepared(engine: Database): Promise<Prepared> {
  const itemIds: string[] = [];
  const active: number[] = [];
  for await (const [ids = [], flags = []] of engine.columns("SELECT item, active FROM item ORDER BY number")) {
    itemIds.push(...ids.map(String));
    active.push(...flags.map(Number));
  }
  const [counts] = await engine.rows(
    "SELECT count(*)::DOUBLE AS pairs, count(DISTINCT person)::DOUBLE AS users FROM history",
  );
  const [pairs, users] = [Number(counts?.pairs), Number(counts?.users)];
  const startOfUser = new Int32Array(users + 1);
  const isTest = new Uint8Array(users);
  const tests = Math.min(TEST_USERS, Math.ceil(users / 10));
  // For users of one item, nothing is left to predict it from.
  const perUser = `SELECT count(*)::INTEGER, (row_number() OVER (ORDER BY count(*) < 2, md5_number_lower(person)) <= ${tests} AND count(*) > 1)::INTEGER
    FROM history GROUP BY person ORDER BY person`;
  let user = 0;
  for await (const [sizes = [], flags = []] of engine.columns(perUser)) {
    for (const [at, size] of sizes.entries()) {
      isTest[user] = Number(flags[at]);
      startOfUser[user + 1] = (startOfUser[user] as number) + Number(size);
      user += 1;
    }
  }
  const itemOf = new Int32Array(pairs);
  let pair = 0;
  for await (const [numbers = []] of engine.columns(
    "SELECT number FROM history ORDER BY person, latest DESC, number",
  )) {
    itemOf.set(numbers as number[], pair);
    pair += numbers.length;
  }
  await engine.run(
    `CREATE TABLE person AS SELECT person, row_number() OVER (ORDER BY person) AS place FROM (SELECT DISTINCT person FROM history);
    DROP TABLE history`,
  );
  return {
    matrix: { users, items: itemIds.length, startOfUser, itemOf },
    itemIds,
    isActive: Uint8Array.from(active),
    isTest,
  };
}

/** Copies the files of a folder and returns their names. */
async function copied(store: ObjectStore, folder: string, engine: Database): Promise<string[]> {
  const files: string[] = [];
  for (const { key } of await listed(store, folder)) {
    const file = join(engine.folder, `${basename(folder)}-${basename(key)}`);
    if (await download(store, key, file)) files.push(file);
  }
  return files;
}

/** Reads files in the dialect of csv.sql. */
function read({ fields }: AvroSchema, files: readonly string[]): string {
  const columns = fields.map(({ name }) => `${literal(name)}: 'VARCHAR'`).join(", ");
  return `read_csv(${literals(files)}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '\\', columns = {${columns}})`;
}

/** Returns the SQL condition on the events that a recipe learns from. */
function condition({ event_type, event_value_threshold }: Partial<EventCheck> = {}): string {
  const ofType = event_type === undefined ? "true" : `EVENT_TYPE = ${literal(event_type)}`;
  return event_value_threshold === undefined ? ofType : `${ofType} AND EVENT_VALUE::DOUBLE >= ${event_value_threshold}`;
}

/** Returns SQL for whether an item may be recommended, as 1 or 0. */
const active = ({ fields }: AvroSchema) =>
  fields.some(({ name }) => name === "IS_ACTIVE") ? "(IS_ACTIVE IS DISTINCT FROM 'False')::INTEGER" : "1";

/** Returns SQL for the text of an item: all columns but the id and IS_ACTIVE. */
function text({ fields }: AvroSchema): string {
  const texts = fields.filter(
    ({ name, type }) => [type].flat().includes("string") && !["ITEM_ID", "IS_ACTIVE"].includes(name),
  );
  return texts.length === 0 ? "''" : `concat_ws(' ', ${texts.map(({ name }) => identifier(name)).join(", ")})`;
}
