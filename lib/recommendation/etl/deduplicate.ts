import { EtlError } from "./etl-error.ts";
import { CheckCounter } from "./event-checks.ts";
import { BUCKETS, eventHash, shardBuckets, shardOf } from "./event-hash.ts";
import { csvCell, FIELD_END, ROW, ROW_END, rowColumns, TO_QUOTE } from "./event-row.ts";
import { runKeys } from "./keys.ts";
import type { ObjectStore } from "./object-store.ts";
import { ownText } from "./own-text.ts";
import { PartWriter } from "./part-writer.ts";
import { shardItems } from "./popular-items.ts";
import { type DeduplicateTask, readFile, Segments, type ShardResult, writeFile } from "./run-files.ts";
import type { RunSettings } from "./settings.ts";
import { Tally } from "./tally.ts";

/** How many segments to read ahead, at most 16 MiB each. */
const AHEAD = 4;

/**
 * Reads one shard of all days and writes its events, without duplicates. Of the events with the same EVENT_ID, it keeps
 * the first, in the order of days and objects. Keeps the shard's ids and four segments in memory. A repeated call
 * writes the same files.
 */
export async function deduplicate(
  task: DeduplicateTask,
  store: ObjectStore,
  settings: RunSettings,
  options: { partBytes?: number } = {},
): Promise<ShardResult> {
  const keys = runKeys(task.run);
  const segments = await readFile(store, keys.segments, Segments);
  const leavesOut = (name: string) => name === "IMPRESSION" && settings.mode === "init";
  const source = rowColumns(settings.definitions);
  const leavesImpressionsOut = source.some(({ name }) => leavesOut(name));
  // No row has a column -1, so the field stays empty.
  const columns = source.map(({ name, at }) => ({ name, at: leavesOut(name) ? -1 : at }));
  const header = columns.map(({ name }) => name).join(",");
  const writer = new PartWriter(store, header, (part) => keys.interactions(task.shard, part), options.partBytes);
  const checks = settings.checks.map((check) => new CheckCounter(check));
  const toLine = lineOf(columns.map(({ at }) => at));
  const seen = new Set<string>();
  const eventTypes = new Tally();
  const items = new Tally();
  let duplicates = 0;
  let impressionsLeftOut = 0;

  for await (const text of shardTexts(task, store, segments)) {
    for (const row of text.split(ROW_END)) {
      if (row === "") continue;
      const fields = row.split(FIELD_END);
      const [id = ""] = fields;
      if (task.of > BUCKETS && shardOf(eventHash(id), task.of) !== task.shard) continue;
      // Comparing sizes needs only one lookup.
      const before = seen.size;
      seen.add(ownText(id));
      if (seen.size === before) {
        duplicates += 1;
        continue;
      }
      writer.add(toLine(row, fields));
      if (writer.isFull) await writer.flush();
      if (leavesImpressionsOut && fields[ROW.impression]) impressionsLeftOut += 1;
      const eventType = fields[ROW.eventType] ?? "";
      eventTypes.add(eventType);
      items.add(fields[ROW.itemId] ?? "");
      for (const check of checks) check.add(fields[ROW.userId] ?? "", eventType, fields[ROW.eventValue] ?? "");
    }
  }
  await writer.flush();
  const result: ShardResult = {
    files: writer.files,
    rows: seen.size,
    duplicates,
    impressions_left_out: impressionsLeftOut,
    event_types: Object.fromEntries(eventTypes.entries().sort(([a], [b]) => (a < b ? -1 : 1))),
    checks: checks.map((check) => check.sample()),
    items: shardItems(new Map(items.entries())),
  };
  await writeFile(store, keys.shardResult(task.shard), result);
  return result;
}

/**
 * Returns a function that formats fields of a row as CSV. Tests the whole row once, since almost no row needs quotes.
 */
function lineOf(positions: readonly number[]): (row: string, fields: readonly string[]) => string {
  const [first = -1, ...others] = positions;
  return (row, fields) => {
    if (TO_QUOTE.test(row)) return positions.map((at) => csvCell(fields[at] ?? "")).join(",");
    let line = fields[first] ?? "";
    for (const at of others) line += `,${fields[at] ?? ""}`;
    return line;
  };
}

/** Yields the shard's rows of each segment, in the order of the segments. Reads a few segments ahead. */
async function* shardTexts(task: DeduplicateTask, store: ObjectStore, segments: Segments): AsyncGenerator<string> {
  const { first, end } = shardBuckets(task.shard, task.of);
  const parts = segments
    .map(({ key, offsets }) => ({ key, start: offsets[first] ?? 0, end: offsets[end] ?? 0 }))
    .filter((part) => part.end > part.start);
  const reading: Promise<string>[] = [];
  for (let next = 0; next < parts.length || reading.length > 0; ) {
    for (; next < parts.length && reading.length < AHEAD; next += 1) {
      const part = parts[next];
      if (!part) break;
      const text = readPart(store, part);
      // A failure is handled when its turn comes. Without this handler, an earlier one would end the process.
      text.catch(() => undefined);
      reading.push(text);
    }
    const text = await reading.shift();
    if (text !== undefined) yield text;
  }
}

async function readPart(store: ObjectStore, part: { key: string; start: number; end: number }): Promise<string> {
  const stream = await store.read(part.key, part);
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length === part.end - part.start) return bytes.toString("utf8");
  throw new EtlError(
    `${part.key} has ${bytes.length} bytes where ${part.end - part.start} are expected from ${part.start}: was it changed?`,
  );
}
