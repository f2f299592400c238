import type { ObjectStore } from "../../aws/object-store.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { Database } from "../../core/sql/database.ts";
import { type BuiltInRecord, type BuiltInTable, itemKey, userKey } from "../clients/built-in-table.ts";
import { EtlError, readFile, runKeys, writeFile } from "../etl/run-files.ts";
import { RunPlan, type Task } from "../etl/tasks.ts";
import { coOccurrence } from "./co-occurrence.ts";
import { columnsOf, itemsOf, usersOf } from "./matrix.ts";
import { listOf, measure } from "./measure.ts";
import { prepare, readPrepared } from "./prepare.ts";
import type { BuiltInReport } from "./report.ts";
import { SEEDS } from "./suggest.ts";
import { textNeighbours } from "./texts.ts";

/** Items of fewer users have neighbours by their texts: too few people chose them to say what else those like. */
const RARE = 20;

/** A call stops writing when only this much time is left. */
const STOP_BEFORE_MS = 60_000;

/** With less time left, another call measures the engine, which takes as long as finding neighbours. */
const FINISH_MS = 300_000;

/** Records that are made at a time. */
const BATCH = 500;

/**
 * Trains the built-in engine on the files of a run: the neighbours of each item, and the last items of each user. Writes what
 * it finds as records of the table, then removes those of earlier runs. Returns the task for the next call. A repeated call
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
  const keys = runKeys(run);
  await prepare(run, await readFile(store, keys.plan, RunPlan), store, engine);
  const prepared = await readPrepared(engine);
  const columns = columnsOf(prepared.matrix);
  const hasTime = () => deadline.remaining() > STOP_BEFORE_MS;

  const together = coOccurrence(prepared.matrix, columns);
  const { itemIds } = prepared;
  const firstRare = itemIds.findIndex((_, item) => usersOf(columns, item) < RARE);
  const byText = firstRare < 0 ? () => [] : await textNeighbours(engine, itemIds.length);
  let { at, items, by_text } = task;
  while (at < itemIds.length && hasTime()) {
    const records: BuiltInRecord[] = [];
    for (const end = Math.min(at + BATCH, itemIds.length); at < end; at += 1) {
      const texts = usersOf(columns, at) < RARE ? byText(at) : [];
      const found = listOf(texts.length > 0 ? texts : together(at));
      if (found.items.length === 0) continue;
      items += 1;
      by_text += texts.length > 0 ? 1 : 0;
      const ids = found.items.map((item) => itemIds[item] as string);
      const by = texts.length > 0 ? { BY: "text" as const } : {};
      records.push({ KEY: itemKey(itemIds[at] as string), RUN: run, ITEMS: ids, SCORES: found.scores, ...by });
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
      rows.map(({ person }, index) => {
        const recent = itemsOf(prepared.matrix, first + index).subarray(0, SEEDS);
        return { KEY: userKey(String(person)), RUN: run, ITEMS: Array.from(recent, (item) => itemIds[item] as string) };
      }),
    );
    at += rows.length;
  }
  const isWritten = at === itemIds.length + users;
  if (!isWritten && at === task.at) throw new EtlError("One call is too short to read the events and write anything");
  const done = isWritten && deadline.remaining() > FINISH_MS && (await table.removeOthers(run, hasTime));
  if (done) {
    const report: BuiltInReport = { items, of: itemIds.length, by_text, users, measured: measure(prepared) };
    await writeFile(store, keys.builtIn, report);
  }
  return { ...task, at, items, by_text, done };
}
