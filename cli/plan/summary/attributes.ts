import { parseJson } from "../../../lib/platform/json/values.ts";
import type { Change } from "./plan-json.ts";

/** One attribute that changes. */
export interface AttributeChange {
  /** Such as `environment[0].variables.OPENSEARCH_NODE`. */
  path: string;
  /** The value as short text; undefined if there is none. */
  before: string | undefined;
  after: string | undefined;
  forcesReplacement: boolean;
}

/** Longer values are not shown. */
const MAX_SHOWN = 60;

const UNKNOWN = "(known after apply)";
const SENSITIVE = "(sensitive)";

type Path = readonly (string | number)[];

interface Difference {
  path: Path;
  before: unknown;
  after: unknown;
  unknown: boolean;
  sensitive: boolean;
}

/**
 * Returns the attributes of a resource that change. Leaves out values that AWS recomputes as a consequence (versions,
 * ARNs) if another change explains them. Compares JSON inside text, such as policies, by its parts.
 */
export function attributeChanges(change: Change): AttributeChange[] {
  const forcing = (change.replace_paths ?? []).map(formatPath);
  const forces = (path: string) =>
    forcing.some((start) => path === start || (/^[.[]/.test(path.slice(start.length)) && path.startsWith(start)));
  const found = [...differences([], change)]
    .map((one) => ({ ...one, text: formatPath(one.path) }))
    .filter(({ text, before, after, unknown }) => forces(text) || unknown || !(isNothing(before) && isNothing(after)));
  const explained = found.some(({ unknown }) => !unknown);
  const shown = found.filter(({ text, unknown }) => !explained || !unknown || forces(text));
  return shown.map(({ text, before, after, unknown, sensitive }) => ({
    path: text,
    before: sensitive && before !== undefined ? SENSITIVE : show(before),
    after: unknown ? UNKNOWN : sensitive && after !== undefined ? SENSITIVE : show(after),
    forcesReplacement: forces(text),
  }));
}

type Compared = Pick<Change, "before" | "after" | "after_unknown" | "before_sensitive" | "after_sensitive">;

function* differences(path: Path, change: Compared): Generator<Difference> {
  const before = expanded(change.before);
  const after = expanded(change.after);
  const sensitive = change.before_sensitive === true || change.after_sensitive === true;
  if (change.after_unknown === true) {
    yield { path, before: change.before ?? undefined, after: undefined, unknown: true, sensitive };
    return;
  }
  if (!sensitive && isCollection(before) && isCollection(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after), ...unknownKeys(change.after_unknown)]);
    for (const key of keys) {
      const below = { before: at(before, key), after: at(after, key), after_unknown: at(change.after_unknown, key) };
      const step = Array.isArray(before) ? Number(key) : key;
      const secret = {
        before_sensitive: at(change.before_sensitive, key),
        after_sensitive: at(change.after_sensitive, key),
      };
      yield* differences([...path, step], { ...below, ...secret });
    }
    return;
  }
  if (JSON.stringify(change.before ?? null) === JSON.stringify(change.after ?? null)) return;
  const unknown = change.after === undefined && holdsTrue(change.after_unknown);
  yield { path, before: change.before ?? undefined, after: change.after ?? undefined, unknown, sensitive };
}

/** Parses text that contains a JSON object or list; returns other values unchanged. */
function expanded(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  return parseJson(value) ?? value;
}

/** Returns whether a value means "not set": providers fill unset attributes with the empty value of their type. */
function isNothing(value: unknown): boolean {
  if (isCollection(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null || value === "" || value === false || value === 0;
}

function isCollection(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function at(value: unknown, key: string): unknown {
  return isCollection(value) ? (value as Record<string, unknown>)[key] : value === true ? true : undefined;
}

function unknownKeys(unknown: unknown): string[] {
  return isCollection(unknown)
    ? Object.entries(unknown).flatMap(([key, below]) => (holdsTrue(below) ? [key] : []))
    : [];
}

function holdsTrue(unknown: unknown): boolean {
  return unknown === true || (isCollection(unknown) && Object.values(unknown).some(holdsTrue));
}

function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

function show(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (isCollection(value))
    return Array.isArray(value) && value.length === 0 ? "[]" : cut(JSON.stringify(value), "a structure");
  return cut(JSON.stringify(value), "text");
}

function cut(text: string, what: string): string {
  return text.length <= MAX_SHOWN ? text : `(${what} of ${text.length} characters)`;
}
