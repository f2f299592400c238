import { createHash } from "node:crypto";

const HASH_LENGTH = 8;

/** Returns the first characters of the SHA-256 of a text, in hexadecimal. */
export function shortHash(text: string, length = HASH_LENGTH): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

/** Returns the text if it has at most `limit` characters, else its start and a hash of the whole, `limit` long. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - HASH_LENGTH - 1)}-${shortHash(text)}`;
}

/** Returns a hash of a value that does not depend on the order of its keys. */
export function hashOf(value: unknown): string {
  return shortHash(JSON.stringify(sorted(value)));
}

/** Returns a number of ten digits that is derived from a text. */
export function numericHash(text: string): string {
  return createHash("sha256").update(text).digest().readUInt32BE(0).toString().padStart(10, "0");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, below]) => [key, sorted(below)]));
}
