import { parseJson } from "../../core/json/values.ts";
import { eventParser } from "../records/event.ts";
import type { Definitions } from "../records/layout.ts";
import { trainedEvent } from "../records/trained-event.ts";
import { eventHash } from "./event-hash.ts";
import { eventRow } from "./event-row.ts";
import { sharedKeys } from "./keys.ts";
import { readLines } from "./lines.ts";
import type { ObjectStore } from "./object-store.ts";
import { reasonOf, rejectLine } from "./rejects.ts";
import { type GroupResult, type TransformTask, writeFile } from "./run-files.ts";
import { SegmentBuilder } from "./segment.ts";

/** The number of characters at which rejected rows are written to a file. */
const REJECTS_CHARACTERS = 4 * 1_024 * 1_024;

/**
 * Reads a group of event objects and writes their valid rows as segments, then the group's result. Repeating a group
 * writes the same files under the same keys, so an interrupted call can be repeated. Memory does not grow with the
 * objects.
 */
export async function transform(
  task: TransformTask,
  store: ObjectStore,
  definitions: Definitions,
  options: { segmentBytes?: number; rejectsCharacters?: number } = {},
): Promise<GroupResult> {
  const { day, digest } = task;
  const parse = eventParser(definitions, undefined, "ignore");
  const toTrained = trainedEvent(definitions);
  const result: GroupResult = { rows: 0, rejected: 0, segments: [], rejects: [] };
  const builder = new SegmentBuilder(options.segmentBytes);
  let rejects = "";

  const writeSegment = async () => {
    if (builder.rows === 0) return;
    const { bytes, rows, offsets } = builder.take();
    const key = sharedKeys.segment(day, digest, result.segments.length);
    await store.write(key, bytes);
    result.segments.push({ key, rows, offsets });
  };
  const writeRejects = async () => {
    if (rejects === "") return;
    const key = sharedKeys.rejects(day, digest, result.rejects.length);
    await store.write(key, rejects);
    result.rejects.push(key);
    rejects = "";
  };
  const reject = async (source: string, line: number, reason: string, row?: string) => {
    result.rejected += 1;
    rejects += rejectLine({ source, line, reason, ...(row !== undefined && { row }) });
    if (rejects.length > (options.rejectsCharacters ?? REJECTS_CHARACTERS)) await writeRejects();
  };

  for (const key of task.objects) {
    const stream = await store.read(key);
    if (!stream) {
      await reject(key, 0, "the object has been removed since the run was planned");
      continue;
    }
    for await (const block of readLines(stream)) {
      if ("problem" in block) {
        await reject(key, block.first, block.problem);
        continue;
      }
      for (const [index, line] of block.lines.entries()) {
        if (line === "" || line === "\r") continue;
        const event = parseJson(line);
        const parsed = event === undefined ? undefined : parse(event);
        if (!parsed || "issues" in parsed) {
          await reject(key, block.first + index, parsed ? reasonOf(parsed.issues) : "is not JSON", line);
          continue;
        }
        const row = eventRow(parsed.record.EVENT_ID, toTrained(parsed.record));
        if (!builder.hasRoomFor(row)) await writeSegment();
        builder.add(eventHash(parsed.record.EVENT_ID), row);
        result.rows += 1;
      }
    }
  }
  await writeSegment();
  await writeRejects();
  await writeFile(store, sharedKeys.group(day, digest), result);
  return result;
}
