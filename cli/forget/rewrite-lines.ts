import { gunzipSync, gzipSync } from "node:zlib";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";

/** How the lines of a person are found and replaced. */
export interface LineRule {
  /** The property with the person's id, such as `USER_ID`. */
  property: string;
  /** The forms in which the id is stored. */
  ids: readonly string[];
  /** Lines of sessions in which the person was not known yet. */
  sessions?: {
    /** What each such line contains. */
    text: string;
    /** Returns whether it is of a session of the person. */
    isTheirs: (line: Readonly<Record<string, unknown>>) => boolean;
  };
  /** What replaces a line; undefined removes it. */
  replacement?: string;
}

const LINE_END = 0x0a;
const GZIP_MAGIC = 0x8b1f;

/**
 * Rewrites an object of JSON lines, gzipped or not. Returns undefined if no line belongs to the person; all other lines
 * keep their bytes.
 */
export function rewriteLines(body: Buffer, rule: LineRule): { body: Buffer; lines: number } | undefined {
  const zipped = body.length > 2 && body.readUInt16LE(0) === GZIP_MAGIC;
  const text = zipped ? gunzipSync(body) : body;
  if (!mayContain(text, rule)) return undefined;
  const kept: Buffer[] = [];
  let lines = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(LINE_END, start);
    const end = found < 0 ? text.length : found + 1;
    const line = text.subarray(start, end);
    start = end;
    if (!belongs(line, rule)) kept.push(line);
    else {
      lines += 1;
      if (rule.replacement !== undefined) kept.push(Buffer.from(`${rule.replacement}${found < 0 ? "" : "\n"}`));
    }
  }
  if (lines === 0) return undefined;
  const rewritten = Buffer.concat(kept);
  return { body: zipped ? gzipSync(rewritten) : rewritten, lines };
}

function belongs(line: Buffer, rule: LineRule): boolean {
  if (!mayContain(line, rule)) return false;
  const value = parseJson(line);
  if (!isObject(value)) return false;
  return rule.ids.includes(String(value[rule.property])) || rule.sessions?.isTheirs(value) === true;
}

/** Returns whether text may contain an id: as the services write it, or with characters escaped by another program. */
function mayContain(text: Buffer, { ids, sessions }: Pick<LineRule, "ids" | "sessions">): boolean {
  if (text.includes("\\u") || (sessions && text.includes(sessions.text))) return true;
  return ids.some((id) => text.includes(JSON.stringify(id).slice(1, -1)));
}

/** Calls `visit` with each line of an object that belongs to the person. */
export function eachLine(body: Buffer, rule: LineRule, visit: (line: Readonly<Record<string, unknown>>) => void): void {
  const zipped = body.length > 2 && body.readUInt16LE(0) === GZIP_MAGIC;
  const text = zipped ? gunzipSync(body) : body;
  if (!mayContain(text, rule)) return;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(LINE_END, start);
    const end = found < 0 ? text.length : found + 1;
    const line = text.subarray(start, end);
    start = end;
    if (!belongs(line, rule)) continue;
    const value = parseJson(line);
    if (isObject(value)) visit(value);
  }
}
