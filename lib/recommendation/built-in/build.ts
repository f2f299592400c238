import type { ObjectStore } from "../../platform/aws/object-store.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Database } from "../../platform/sql/database.ts";
import {
  type BuiltInRecord,
  type BuiltInTable,
  itemKey,
  kindKey,
  moreKey,
  userKey,
} from "../clients/built-in-table.ts";
import { EtlError, readFile, runKeys, writeFile } from "../etl/run-files.ts";
import { RunPlan, type Task } from "../etl/tasks.ts";
import { chooseModel } from "./choose.ts";
import { factorize } from "./factors.ts";
import { columnsOf, itemsOf } from "./matrix.ts";
import { measure } from "./measure.ts";
import { neighboursIn } from "./neighbours.ts";
import { prepare, readPrepared } from "./prepare.ts";
import type { BuiltInReport } from "./report.ts";
import { textNeighbours } from "./texts.ts";

/** Remaining time (ms) at which a call stops writing. */
const STOP_BEFORE_MS = 60_000;

/** Remaining time (ms) below which the measurement is left to the next call. It takes as long as finding neighbours. */
const FINISH_MS = 300_000;

/** Records per write. */
const BATCH = 500;

/** The most bytes of a record's ids: DynamoDB takes records of 400 KB. */
const MOST_BYTES = 380_000;

/** Bytes that DynamoDB adds to each element of a list, rounded up. Source: developer guide, "DynamoDB item sizes". */
const ELEMENT = 4;

/**
 * Trains the built-in engine on the files of a run: chooses the model, and finds the neighbours of each item and the items
 * of each user. Writes what it finds as records of the table, then removes those of earlier runs. Returns the task for the next call. A repeated call
 * computes the same records, in the same order, and goes on where the one before stopped.
 */
export async function build(
  task: Task<"built-in">,
  store: ObjectStore,
  table: BuiltInTable,
  engine: Database,
  deadline: Deadline,
): Promise<Task<"built-in">> {
  const { run } = task;
  const started = process.cpuUsage();
  const keys = runKeys(run);
  await prepare(run, await readFile(store, keys.plan, RunPlan), store, engine);
  const prepared = await readPrepared(engine);
  const hasTime = () => deadline.remaining() > STOP_BEFORE_MS;

  const { itemIds } = prepared;
  const byText = await textNeighbours(engine, itemIds.length);
  const model = task.model ?? chooseModel(prepared, byText);
  const byFactors =
    model.factors > 0 && task.at < itemIds.length ? factorize(prepared.matrix)(model.factors) : undefined;
  const neighbours = neighboursIn(prepared.matrix, columnsOf(prepared.matrix), byText, byFactors);
  let { at, items, by_text } = task;
  while (at < itemIds.length && hasTime()) {
    const records: BuiltInRecord[] = [];
    for (const end = Math.min(at + BATCH, itemIds.length); at < end; at += 1) {
      const id = itemIds[at] as string;
      const found = [
        { KEY: itemKey(id), ...neighbours.byUsers(at) },
        { KEY: kindKey(id), ...neighbours.ofKind(at) },
      ].filter((list) => list.items.length > 0);
      items += Math.min(1, found.length);
      by_text += found.some(({ KEY }) => KEY === kindKey(id)) ? 1 : 0;
      for (const { KEY, items, scores } of found) {
        records.push({ KEY, RUN: run, ITEMS: items.map((item) => itemIds[item] as string), SCORES: scores });
      }
    }
    await table.write(records);
  }
  const { users } = prepared.matrix;
  while (at >= itemIds.length && at < itemIds.length + users && hasTime()) {
    const first = at - itemIds.length;
    const rows = await engine.rows(
      `SELECT person FROM person WHERE place > ${first} AND place <= ${first + BATCH} ORDER BY place`,
    );
    await table.write(
      rows.flatMap(({ person }, index) => {
        const own = itemsOf(prepared.matrix, first + index);
        return historyRecords(
          String(person),
          run,
          Array.from(own, (item) => itemIds[item] as string),
        );
      }),
    );
    at += rows.length;
  }
  const isWritten = at === itemIds.length + users;
  if (!isWritten && at === task.at) throw new EtlError("One call is too short to read the events and write anything");
  const done = isWritten && deadline.remaining() > FINISH_MS && (await table.removeOthers(run, hasTime));
  const measured = done ? measure(prepared, byText, model.factors) : undefined;
  const { user, system } = process.cpuUsage(started);
  const seconds = task.seconds + Math.round((user + system) / 1e5) / 10;
  if (done) {
    const report: BuiltInReport = { items, of: itemIds.length, by_text, users, model, seconds, measured };
    await writeFile(store, keys.builtIn, report);
  }
  return { ...task, at, items, by_text, model, seconds, done };
}

/** Returns the records of a user's items, latest first. None of these items is recommended to the user again. */
function historyRecords(person: string, RUN: string, ids: readonly string[]): BuiltInRecord[] {
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const id of ids) {
    bytes += Buffer.byteLength(id) + ELEMENT;
    if (bytes > MOST_BYTES) {
      parts.push([]);
      bytes = Buffer.byteLength(id) + ELEMENT;
    }
    parts.at(-1)?.push(id);
  }
  const [first = [], ...others] = parts;
  return [
    { KEY: userKey(person), RUN, ITEMS: first, ...(others.length > 0 && { MORE: others.length }) },
    ...others.map((ITEMS, at) => ({ KEY: moreKey(person, at + 1), RUN, ITEMS })),
  ];
}
