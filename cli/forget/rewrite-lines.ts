import { gunzipSync, gzipSync } from "node:zlib";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";

/** How the lines of a person are found and replaced. */
export interface LineRule {
  /** Returns the ids that a line names as its user. */
  namesOf: (line: Readonly<Record<string, unknown>>) => readonly unknown[];
  /** The forms in which the id is stored. */
  ids: readonly string[];
  /** Lines of sessions in which the person was not known yet. */
  sessions?: {
    /** Text that each such line contains. */
    text: string;
    /** Returns whether it is of a session of the person. */
    isTheirs: (line: Readonly<Record<string, unknown>>) => boolean;
  };
  /** The new line; undefined removes the line. */
  replacement?: string;
}

const LINE_END = 0x0a;
const GZIP_MAGIC = 0x8b1f;

/**
 * Rewrites an object of JSON lines, gzipped or not. Returns undefined if no line belongs to the person; all other lines
 * keep their bytes. A line of Firehose about a record that it could not deliver holds the record's own lines.
 */
export function rewriteLines(body: Buffer, rule: LineRule): { body: Buffer; lines: number } | undefined {
  const { text, zipped } = unzipped(body);
  if (!mayContain(text, rule) && !text.includes(UNDELIVERED)) return undefined;
  const kept: Buffer[] = [];
  let lines = 0;
  for (const line of linesOf(text)) {
    const inner = line.includes(UNDELIVERED) ? rewrittenRecord(line, rule) : undefined;
    if (inner) {
      lines += inner.lines;
      kept.push(inner.line);
    } else if (!belongs(line, rule)) kept.push(line);
    else {
      lines += 1;
      if (rule.replacement !== undefined) {
        kept.push(Buffer.from(`${rule.replacement}${line.at(-1) === LINE_END ? "\n" : ""}`));
      }
    }
  }
  if (lines === 0) return undefined;
  const rewritten = Buffer.concat(kept);
  return { body: zipped ? gzipSync(rewritten) : rewritten, lines };
}

/** The member with an undelivered record, in base64. Source: Amazon Data Firehose Developer Guide, "Data delivery failure". */
const UNDELIVERED = '"rawData"';

function rewrittenRecord(line: Buffer, rule: LineRule): { line: Buffer; lines: number } | undefined {
  const value = parseJson(line);
  if (!isObject(value) || typeof value.rawData !== "string") return undefined;
  const record = rewriteLines(Buffer.from(value.rawData, "base64"), rule);
  if (!record) return undefined;
  const rewritten = JSON.stringify({ ...value, rawData: record.body.toString("base64") });
  return { line: Buffer.from(`${rewritten}${line.at(-1) === LINE_END ? "\n" : ""}`), lines: record.lines };
}

function unzipped(body: Buffer): { text: Buffer; zipped: boolean } {
  const zipped = body.length > 2 && body.readUInt16LE(0) === GZIP_MAGIC;
  return { text: zipped ? gunzipSync(body) : body, zipped };
}

function* linesOf(text: Buffer): Generator<Buffer> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(LINE_END, start);
    const end = found < 0 ? text.length : found + 1;
    yield text.subarray(start, end);
    start = end;
  }
}

/** Returns whether a line belongs to the person. */
export function belongs(line: Buffer, rule: LineRule): boolean {
  if (!mayContain(line, rule)) return false;
  const value = parseJson(line);
  if (!isObject(value)) return false;
  return rule.namesOf(value).some((name) => rule.ids.includes(String(name))) || rule.sessions?.isTheirs(value) === true;
}

/** Returns whether text may contain an id: as the services write it, or with characters escaped by another program. */
function mayContain(text: Buffer, { ids, sessions }: Pick<LineRule, "ids" | "sessions">): boolean {
  if (text.includes("\\u") || (sessions && text.includes(sessions.text))) return true;
  return ids.some((id) => text.includes(JSON.stringify(id).slice(1, -1)));
}

/** Calls `visit` with each line of an object that belongs to the person. */
export function eachLine(body: Buffer, rule: LineRule, visit: (line: Readonly<Record<string, unknown>>) => void): void {
  const { text } = unzipped(body);
  if (!mayContain(text, rule)) return;
  for (const line of linesOf(text)) {
    const value = belongs(line, rule) ? parseJson(line) : undefined;
    if (isObject(value)) visit(value);
  }
}
