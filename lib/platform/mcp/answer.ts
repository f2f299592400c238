import { isRawNumber } from "../json/values.ts";
import type { ResultList } from "./tool.ts";

/**
 * The most tokens of an answer. A tokenizer has at most one token for each byte of UTF-8, so this is also the most bytes;
 * answers in English have about a third as many (`mcp` in bench/ENDED.md).
 */
export const MAX_ANSWER_TOKENS = 10_000;

/** Of which one entry, and each fact beside the list, may take so many. */
const MAX_PART = MAX_ANSWER_TOKENS / 4;

/** Room for the braces, the names of list and facts, and the cursor. */
const FRAME = 500;

/** Texts, lists and what is in them are cut to the first of these limits with which a value fits. */
const LIMITS = [
  { characters: 2_000, entries: 50, depth: 20 },
  { characters: 400, entries: 20, depth: 10 },
  { characters: 100, entries: 8, depth: 5 },
  { characters: 40, entries: 3, depth: 3 },
];

/**
 * Returns the answer of a tool as JSON text of at most {@link MAX_ANSWER_TOKENS} bytes: facts, as many entries as fit, and
 * the cursor of the next page. Long texts and lists are cut, which they show.
 */
export function answerText({ list, entries, hasMore, facts }: ResultList, skip: number): string {
  const parts = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${fitted(value) ?? '"left out: too long"'}`);
  let left = MAX_ANSWER_TOKENS - FRAME - bytesOf(parts.join());
  const shown: string[] = [];
  for (const entry of entries) {
    const text = fitted(entry) ?? identified(entry);
    left -= bytesOf(text) + 1;
    if (left < 0) break;
    shown.push(text);
  }
  parts.push(`${JSON.stringify(list)}:[${shown.join()}]`);
  if (shown.length > 0 && hasMore(shown.length)) parts.push(`"next_cursor":"${skip + shown.length}"`);
  return `{${parts.join()}}`;
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Returns a value as JSON text that fits, with its texts and lists cut if need be; undefined if that does not suffice. */
function fitted(value: unknown): string | undefined {
  const whole = JSON.stringify(value);
  if (bytesOf(whole) <= MAX_PART) return whole;
  for (const limits of LIMITS) {
    const text = JSON.stringify(cut(value, limits));
    if (bytesOf(text) <= MAX_PART) return text;
  }
  return undefined;
}

/** Returns an entry without all but its first member, which identifies it. */
function identified(entry: Readonly<Record<string, unknown>>): string {
  const [name = "", id] = Object.entries(entry)[0] ?? [];
  return JSON.stringify({
    [name]: cut(id, { characters: 512, entries: 1, depth: 1 }),
    left_out: "the rest is too long",
  });
}

function cut(value: unknown, { depth, ...own }: (typeof LIMITS)[number]): unknown {
  const limits = { ...own, depth: depth - 1 };
  if (typeof value === "string") {
    // A surrogate pair is not cut in half.
    return value.length <= limits.characters ? value : `${value.slice(0, limits.characters).toWellFormed()}…`;
  }
  if (typeof value !== "object" || value === null || isRawNumber(value)) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.entries).map((entry) => cut(entry, limits));
    return value.length > kept.length ? [...kept, `… ${value.length - kept.length} more`] : kept;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, limits.entries).map(([name, member]) => [name, cut(member, limits)]);
  const more = members.length - kept.length;
  return Object.fromEntries(more > 0 ? [...kept, ["…", `${more} more`]] : kept);
}
