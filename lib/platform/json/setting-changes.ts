import { isObject } from "./values.ts";

/** Longer values are not shown. */
const MAX_SHOWN = 60;
/** Changes listed for one function. */
const MAX_LISTED = 20;
/** Properties that identify the entries of a list, whatever their order. */
const IDENTITIES = ["index", "name", "embedding_field", "field", "column", "recipe", "file"];

/**
 * Describes the changes of settings that are inside a function's bundle, where a plan shows only another hash: one line
 * each, old → new.
 */
export function settingChanges(before: object, after: object): string[] {
  const found = [...changes([], before, after)];
  const hidden = found.length - MAX_LISTED;
  return hidden > 1 ? [...found.slice(0, MAX_LISTED), `and ${hidden} more`] : found;
}

function* changes(path: readonly string[], before: unknown, after: unknown): Generator<string> {
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* changes([...path, key.replaceAll("_", " ")], before[key], after[key]);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    yield* listChanges(path, before, after);
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    yield `${path.join(", ")}: ${show(before)} → ${show(after)}`;
  }
}

function* listChanges(path: readonly string[], before: unknown[], after: unknown[]): Generator<string> {
  const identity = IDENTITIES.find((key) => [...before, ...after].every((one) => isObject(one) && key in one));
  if (identity === undefined && [...before, ...after].some(isObject)) {
    yield* changes(path, { ...before }, { ...after });
    return;
  }
  const nameOf = (entry: unknown) => (identity === undefined ? show(entry) : show((entry as never)[identity]));
  const old = new Map(before.map((entry) => [nameOf(entry), entry]));
  const fresh = new Map(after.map((entry) => [nameOf(entry), entry]));
  for (const [name, entry] of old) {
    if (!fresh.has(name)) yield `${path.join(", ")}: ${name} is removed`;
    else yield* changes([...path, name], entry, fresh.get(name));
  }
  for (const name of fresh.keys()) if (!old.has(name)) yield `${path.join(", ")}: ${name} is added`;
  const kept = [...old.keys()].filter((name) => fresh.has(name));
  if (kept.join() !== [...fresh.keys()].filter((name) => old.has(name)).join())
    yield `${path.join(", ")}: another order`;
}

function show(value: unknown): string {
  if (value === undefined || value === null) return "(none)";
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
