import { isObject } from "../../core/json/values.ts";

/** Between strings, more characters than this can only be an array of numbers, or blanks. */
const LONG = 256;

const NUMBERS = /\[[-+.\deE, \t\r\n]+\]/g;

/**
 * Returns the value of a JSON text, or undefined for text that another parser might read in another way: one with a
 * key twice in an object, with comments, or with anything else that JSON.parse rejects. Long arrays of numbers have
 * only one element in the value: nothing is named in a vector, and to parse one takes longer than all the rest.
 */
export function strictJson(text: string): { value: unknown } | undefined {
  const { short, colons } = outline(text);
  let value: unknown;
  try {
    value = JSON.parse(short);
  } catch {
    return undefined;
  }
  return colons === countKeys(value) ? { value } : undefined;
}

/** Shortens the arrays of numbers in a JSON text, and counts the colons that are not inside strings: one for each key. */
function outline(text: string): { short: string; colons: number } {
  let short = "";
  let copied = 0;
  let colons = 0;
  let colon = text.indexOf(":");
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (end - at > LONG) {
      short += text.slice(copied, at) + text.slice(at, end).replace(NUMBERS, "[0]");
      copied = end;
    }
    if (colon !== -1 && colon < at) colon = text.indexOf(":", at);
    for (; colon !== -1 && colon < end; colon = text.indexOf(":", colon + 1)) colons += 1;
    at = quote === -1 ? text.length : endOfString(text, quote) + 1;
  }
  return { short: short + text.slice(copied), colons };
}

/** Returns the position of the quote that ends the string at `start`: the next one after an even count of backslashes. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text[before] === "\\") before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return text.length;
}

function countKeys(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const member of value) if (typeof member === "object") count += countKeys(member);
  } else if (isObject(value)) {
    for (const key in value) {
      count += 1;
      if (typeof value[key] === "object") count += countKeys(value[key]);
    }
  }
  return count;
}
