const STRING = /"(?:[^"\\]|\\.)*"/g;
const COLON = /:/g;

/**
 * Returns the value of a JSON text, or undefined for text that another parser might read in another way: one with a
 * key twice in an object, with comments, or with anything else that JSON.parse rejects.
 */
export function strictJson(text: string): { value: unknown } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const written = text.replace(STRING, "").match(COLON)?.length ?? 0;
  return written === countKeys(value) ? { value } : undefined;
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value)) if (typeof member === "object") count += countKeys(member);
  return count;
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
