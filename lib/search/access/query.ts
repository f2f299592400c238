import type { KeyRules } from "../../core/http/access.ts";
import { isObject } from "../../core/json/values.ts";
import {
  firstOf,
  type Grant,
  namesRefusal,
  ownOptions,
  type Refusal,
  refusal,
  requireAllowed,
  valueRefusal,
} from "./names.ts";

/**
 * Returns the index expression to send for a search. Throws `forbidden` for indexes that the key may not use, in the
 * expression or in the body. A wildcard of a key without patterns does not include names that start with a dot.
 */
export function searchedIndexes(key: KeyRules, index: string, body: unknown): string {
  // An exclusion without a wildcard of this cluster would be a name.
  const wide = key.indexes === undefined && index.split(",").some((part) => /^<?\*[^:]*$/.test(part));
  const sent = wide ? `${index},-.*` : index;
  requireAllowed(
    key,
    namesRefusal(sent, key.indexes, { ...ownOptions(key), wildcards: true }) ?? queryRefusal(body, key.indexes),
  );
  return sent;
}

/** Members that name indexes: terms lookup, more_like_this, percolate, multi-get, term vectors. */
const NAMES_INDEX = new Set(["index", "_index", "indices", "indexes"]);

/** What the gateway cannot bound to the patterns of a key, by member. A field of that name is not an object. */
const UNBOUNDED = new Map<string, Refusal>([
  ["wrapper", refusal("body", "wrapper hides a query")],
  ["indexed_shape", refusal("body", "indexed_shape reads another index")],
  ["pit", refusal("open-search", "a point in time does not name its indexes")],
  ["template", refusal("template", "a template hides a query")],
  ["collate", refusal("template", "collate holds a template")],
  ["agentic", refusal("template", "an agent writes the query")],
  ["ext", refusal("body", "ext is read by plugins")],
]);

/**
 * Returns why the body of a search is refused: a name in it that the key may not use, or a part that can name indexes
 * and cannot be read. Reads the whole body, as a lookup can be wherever a query can.
 */
export function queryRefusal(value: unknown, grant: Grant): Refusal | undefined {
  if (Array.isArray(value)) return firstOf(value, (one) => queryRefusal(one, grant));
  if (!isObject(value)) return undefined;
  for (const key in value) {
    const found = memberRefusal(key, value[key], grant);
    if (found) return found;
  }
  return undefined;
}

function memberRefusal(key: string, member: unknown, grant: Grant): Refusal | undefined {
  if (NAMES_INDEX.has(key) && !isObject(member)) return namedRefusal(member, grant);
  if (key === "indices_boost") return boostRefusal(member, grant);
  if (typeof member !== "object" || member === null) {
    return grant !== undefined && key === "search_pipeline" ? PIPELINE : undefined;
  }
  if (grant !== undefined) {
    if (key === "search_pipeline") return PIPELINE;
    const unbounded = UNBOUNDED.get(key);
    if (unbounded) return unbounded;
  } else if (key === "wrapper") return wrapperRefusal(member);
  else if (key === "collate" && /index|\\u/i.test(JSON.stringify(member))) return UNBOUNDED.get(key);
  return queryRefusal(member, grant);
}

const PIPELINE = refusal("pipeline", "a search pipeline can change the search");

/**
 * A key without patterns may have a field named `index`, so only names with a dot are refused. The cluster reads single
 * names here, without wildcards.
 */
function namedRefusal(value: unknown, grant: Grant): Refusal | undefined {
  if (grant !== undefined) return valueRefusal(value, grant, { wildcards: true });
  const values = Array.isArray(value) ? value : [value];
  return firstOf(values, (one) =>
    isObject(one)
      ? queryRefusal(one, grant)
      : typeof one === "string" && /(^|,)-?[.<]/.test(one)
        ? namesRefusal(one, grant, { wildcards: true })
        : undefined,
  );
}

/** `indices_boost` has names as keys. An unknown one fails the search, so it tells which names exist. */
function boostRefusal(boosts: unknown, grant: Grant): Refusal | undefined {
  const names = [boosts].flat().flatMap((one) => (isObject(one) ? Object.keys(one) : []));
  return firstOf(names, (name) => namesRefusal(name, grant, { wildcards: true }));
}

function wrapperRefusal(member: unknown): Refusal | undefined {
  const query = isObject(member) ? member.query : undefined;
  const inner = typeof query === "string" ? strictJson(Buffer.from(query, "base64").toString("utf8")) : undefined;
  return inner ? queryRefusal(inner.value, undefined) : refusal("body", "wrapper does not contain JSON");
}

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
