import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./values.ts";

/*
 * A strict reader of JSON in UTF-8: it finds where values end, accepts exactly what JSON.parse accepts, and creates
 * nothing. It reads each byte once, in less time than JSON.parse takes.
 */

/** Returned in place of a position where the text is not JSON, or nested too deeply. */
export const INVALID = -1;

const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LOWER_U = 0x75;

/** The byte after the end of a text. */
const END = 0;

/** Returns the position after the value that starts at `at`. `depth` is how deep it may be nested. */
export function endOfValue(bytes: Buffer, at: number, depth: number): number {
  const code = bytes[at] ?? END;
  if (code === QUOTE) return endOfString(bytes, at);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) {
    if (depth === 0) return INVALID;
    const readPart = (part: number) => endOfValue(bytes, part, depth - 1);
    return code === OPEN_BRACE ? readObject(bytes, at, readPart) : readArray(bytes, at, readPart);
  }
  if (code === MINUS || (code >= ZERO && code <= NINE)) return endOfNumber(bytes, at);
  return endOfWord(bytes, at);
}

/** Returns where a part ends, given where it starts; INVALID if it is none. */
type Reader = (start: number) => number;

/** Reads the array at `start` with a reader of its elements. Returns the position after it. */
export function readArray(bytes: Buffer, start: number, readElement: Reader): number {
  let at = skipSpace(bytes, start + 1);
  if (bytes[start] !== OPEN_BRACKET) return INVALID;
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    at = readElement(at);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** Reads the object at `start` with a reader of its values, which also gets the key. Returns the position after it. */
export function readObject(
  bytes: Buffer,
  start: number,
  readValue: (start: number, keyStart: number, keyEnd: number) => number,
): number {
  let at = skipSpace(bytes, start + 1);
  if (bytes[start] !== OPEN_BRACE) return INVALID;
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    const keyEnd = endOfString(bytes, at);
    const colon = keyEnd === INVALID ? INVALID : skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return INVALID;
    at = readValue(skipSpace(bytes, colon + 1), at, keyEnd);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the position of what follows white space. */
export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  let code = bytes[at] ?? END;
  while (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) code = bytes[++at] ?? END;
  return at;
}

/** Returns the position after the string that starts at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return INVALID;
  let at = start;
  for (;;) {
    let code: number;
    do code = bytes[++at] ?? END;
    while (code >= SPACE && code !== QUOTE && code !== BACKSLASH);
    if (code === QUOTE) return at + 1;
    if (code !== BACKSLASH) return INVALID;
    const escaped = bytes[++at] ?? END;
    if (escaped === LOWER_U) {
      if (!isHex(bytes, at + 1) || !isHex(bytes, at + 2) || !isHex(bytes, at + 3) || !isHex(bytes, at + 4)) {
        return INVALID;
      }
      at += 4;
    } else if (!ESCAPED.includes(escaped)) return INVALID;
  }
}

/** Characters that may follow a backslash: `"\/bfnrt`. */
const ESCAPED = Array.from('"\\/bfnrt', (character) => character.charCodeAt(0));

function isHex(bytes: Buffer, at: number): boolean {
  const code = bytes[at] ?? END;
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

const isDigit = (code: number) => code >= ZERO && code <= NINE;

function endOfNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO) at += 1;
  else at = endOfDigits(bytes, at);
  if (at !== INVALID && bytes[at] === DOT) at = endOfDigits(bytes, at + 1);
  if (at !== INVALID && ((bytes[at] ?? END) | 0x20) === 0x65) {
    const sign = bytes[at + 1];
    at = endOfDigits(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? END)) at += 1;
  return at > start ? at : INVALID;
}

const WORDS = ["true", "false", "null"].map((word) => Buffer.from(word));

function endOfWord(bytes: Buffer, at: number): number {
  for (const word of WORDS) {
    if (word.every((code, index) => bytes[at + index] === code)) return at + word.length;
  }
  return INVALID;
}

/** Returns whether a key, in its quotes, is a name of ASCII characters. */
export function keyIs(bytes: Buffer, start: number, end: number, name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = bytes[start + 1 + index];
    if (code === BACKSLASH) return JSON.parse(bytes.toString("utf8", start, end)) === name;
    if (code !== name.charCodeAt(index)) return false;
  }
  return end === start + name.length + 2;
}
