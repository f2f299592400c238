import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./values.ts";

/** The position of a JSON value in its text: `text.slice(start, end)`, without surrounding white space. */
export interface Slice {
  start: number;
  end: number;
}

interface Member {
  key: string;
  /** From the white space before the key to the comma or brace after the value. */
  outer: Slice;
  value: Slice;
}

/*
 * A document must reach the cluster as its caller wrote it. Parsing and printing it turns 9007199254740993 into
 * 9007199254740992, and 1.0 into 1, which changes the type of a new field. So documents stay text, and these functions
 * find the parts of it. They expect text that JSON.parse accepts and check nothing themselves.
 */

/** Returns the values of an object's members by key. The last of several equal keys wins, as in JSON.parse. */
export function memberSlices(text: string, start = 0, end = text.length): Map<string, Slice> {
  const slices = new Map<string, Slice>();
  for (const { key, value } of membersOf(text, start, end)) slices.set(key, value);
  return slices;
}

/** Returns the elements of an array. */
export function elementSlices(text: string, start = 0, end = text.length): Slice[] {
  const slices: Slice[] = [];
  let at = skipSpace(text, opening(text, start, end, OPEN_BRACKET, "array") + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    const after = skipValue(text, at);
    slices.push({ start: at, end: after });
    at = skipSpace(text, after);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return slices;
}

/**
 * Returns the object with changed members: replaced, added at the end or, if the change is undefined, removed. Changes
 * are JSON text. Everything else keeps its bytes. A changed key that occurred several times occurs once.
 */
export function withMembers(rawObject: string, changes: Readonly<Record<string, string | undefined>>): string {
  return piecesWithMembers(rawObject, changes).join("");
}

/** Returns the same in pieces that follow one another, for changes that are not text. */
function piecesWithMembers<Json>(
  rawObject: string,
  changes: Readonly<Record<string, Json | undefined>>,
): Array<string | Json> {
  if (Object.keys(changes).length === 0) return [rawObject];
  const members = membersOf(rawObject, 0, rawObject.length);
  const last = new Map(members.map((member) => [member.key, member]));
  const pieces: Array<string | Json> = [];
  /** Text before the next member. */
  let before = "{";
  const add = (head: string, json: Json, tail: string) => {
    pieces.push(before + head, json);
    before = `${tail},`;
  };
  for (const member of members) {
    const { key, outer, value } = member;
    const json = changes[key];
    if (!Object.hasOwn(changes, key)) before += `${rawObject.slice(outer.start, outer.end)},`;
    else if (json !== undefined && last.get(key) === member) {
      add(rawObject.slice(outer.start, value.start), json, rawObject.slice(value.end, outer.end));
    }
  }
  for (const [key, json] of Object.entries(changes)) {
    if (json !== undefined && !last.has(key)) add(`${JSON.stringify(key)}:`, json, "");
  }
  pieces.push(before.endsWith(",") ? `${before.slice(0, -1)}}` : "{}");
  return pieces;
}

function membersOf(text: string, start: number, end: number): Member[] {
  const members: Member[] = [];
  let from = opening(text, start, end, OPEN_BRACE, "object") + 1;
  let at = skipSpace(text, from);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const keyEnd = skipString(text, at);
    const key = keyOf(text, at, keyEnd);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = skipValue(text, valueStart);
    at = skipSpace(text, valueEnd);
    members.push({ key, outer: { start: from, end: at }, value: { start: valueStart, end: valueEnd } });
    if (text.charCodeAt(at) !== COMMA) break;
    from = at + 1;
    at = skipSpace(text, from);
  }
  return members;
}

function opening(text: string, start: number, end: number, bracket: number, kind: string): number {
  const at = skipSpace(text, start);
  if (at < end && text.charCodeAt(at) === bracket) return at;
  throw new TypeError(`the JSON at position ${start} is not an ${kind}`);
}

function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

/** Returns the position after the value that starts here. Counts brackets instead of recursing, so any depth works. */
function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return skipString(text, start);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipLiteral(text, start);
  let depth = 0;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    if (Number.isNaN(code)) throw new TypeError("the JSON ends inside a value");
    at += 1;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
}

function skipString(text: string, start: number): number {
  const quote = closingQuote(text, start);
  if (quote < 0) throw new TypeError("the JSON ends inside a string");
  return quote + 1;
}

/** Returns the position of the quote that ends the string at `start`, after an even count of backslashes; -1 without one. */
export function closingQuote(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return -1;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

const AFTER_LITERAL = new Set([COMMA, CLOSE_BRACE, CLOSE_BRACKET, 0x20, 0x0a, 0x0d, 0x09]);

function skipLiteral(text: string, start: number): number {
  let at = start;
  while (at < text.length && !AFTER_LITERAL.has(text.charCodeAt(at))) at += 1;
  if (at === start) throw new TypeError(`there is no JSON value at position ${start}`);
  return at;
}

/**
 * Returns the object with the values at dotted paths replaced or added, in pieces that follow one another; changes are
 * JSON, as text or bytes. Follows the objects that the text has, also those with a dotted key, and adds missing ones.
 * Everything else keeps its bytes. Throws TypeError if something else than an object is on the way.
 */
export function piecesWithPaths<Json>(
  rawObject: string,
  changes: Readonly<Record<string, Json>>,
): Array<string | Json> {
  const paths = Object.entries(changes);
  if (paths.every(([path]) => !path.includes("."))) return piecesWithMembers(rawObject, changes);
  const members = memberSlices(rawObject);
  const isObject = (key: string) => rawObject.charCodeAt(members.get(key)?.start ?? -1) === OPEN_BRACE;
  const here: Record<string, Array<string | Json>> = {};
  const below: Record<string, Record<string, Json>> = {};
  for (const [path, json] of paths) {
    const heads = headsOf(path);
    const [head = path] = [...heads.filter(isObject), ...heads];
    if (head === path || members.has(path)) here[path] = [json];
    else below[head] = { ...below[head], [path.slice(head.length + 1)]: json };
  }
  for (const [head, inner] of Object.entries(below)) {
    const slice = members.get(head);
    here[head] = piecesWithPaths(slice ? rawObject.slice(slice.start, slice.end) : "{}", inner);
  }
  return piecesWithMembers(rawObject, here).flat() as Array<string | Json>;
}

/** Returns the object without the values at dotted paths. Everything else keeps its bytes. */
export function withoutPaths(rawObject: string, paths: readonly string[]): string {
  const members = memberSlices(rawObject);
  const changes: Record<string, string | undefined> = {};
  for (const path of paths) {
    if (members.has(path)) changes[path] = undefined;
    for (const head of headsOf(path)) {
      const slice = members.get(head);
      const inner = changes[head] ?? (slice && rawObject.slice(slice.start, slice.end));
      if (inner?.startsWith("{")) changes[head] = withoutPaths(inner, [path.slice(head.length + 1)]);
    }
  }
  return withMembers(rawObject, changes);
}

/**
 * Returns the object with the values at dotted paths replaced by what `map` returns for their text, also in each object of a
 * list on the way. Everything else keeps its bytes.
 */
export function withMapped(rawObject: string, paths: readonly string[], map: (json: string) => string): string {
  if (rawObject.startsWith("[")) {
    const elements = elementSlices(rawObject).map(({ start, end }) => rawObject.slice(start, end));
    const mapped = elements.map((element) => (/^[[{]/.test(element) ? withMapped(element, paths, map) : element));
    return `[${mapped.join(",")}]`;
  }
  const members = memberSlices(rawObject);
  const changes: Record<string, string | undefined> = {};
  const textOf = (key: string) => {
    const slice = members.get(key);
    return changes[key] ?? (slice && rawObject.slice(slice.start, slice.end));
  };
  for (const path of paths) {
    const value = textOf(path);
    if (value !== undefined) changes[path] = map(value);
    for (const head of headsOf(path)) {
      const inner = textOf(head);
      if (inner && /^[[{]/.test(inner)) changes[head] = withMapped(inner, [path.slice(head.length + 1)], map);
    }
  }
  return withMembers(rawObject, changes);
}

/** Returns the proper beginnings of a dotted path, the shortest first. */
function headsOf(path: string): string[] {
  const segments = path.split(".");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("."));
}
