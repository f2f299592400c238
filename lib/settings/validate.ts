import * as v from "valibot";
import { isObject } from "../platform/json/values.ts";
import { joinWords } from "./kinds.ts";
import { nearest } from "./nearest.ts";
import { type Path, show } from "./problem.ts";
import { aboutOf, entriesOf, schemaAt, shapeOf, typeOf, wordsOf } from "./shape.ts";

/** A problem of one value, without its file and line. */
export interface Finding {
  path: Path;
  message: string;
  /** The key that a misspelt key probably means. */
  meant?: string;
}

/**
 * The value with each invalid part set to `undefined`, so that checks can tell invalid parts from missing ones. List
 * entries keep their positions.
 */
export type Draft<T> = T extends readonly (infer Item)[]
  ? readonly (Draft<Item> | undefined)[]
  : T extends object
    ? { readonly [Key in keyof T]?: Draft<T[Key]> | undefined }
    : T;

/** The result of validating a value. */
export interface Validated<T> {
  findings: readonly Finding[];
  /** The value with its defaults; undefined if anything is invalid. */
  output: T | undefined;
  /** The valid parts with their defaults, for checks that compare several values. */
  draft: Draft<T> | undefined;
}

/** Validates a value and finds all problems, including every unknown key. */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): Validated<v.InferOutput<Schema>> {
  const findings = new Map<string, Finding>();
  const add = (path: Path, message: string, meant?: string) => {
    const id = JSON.stringify(path);
    if (!findings.has(id)) findings.set(id, { path, message, ...(meant !== undefined && { meant }) });
  };

  for (const place of placesIn(schema, value)) {
    const { placeholder } = aboutOf(place.schema);
    if (isListForMapping(place)) add(place.path, describe(schema, value, place.path));
    for (const { path, message, meant } of unknownKeys(place)) add(path, message, meant);
    if (placeholder !== undefined && place.value === placeholder) {
      add(place.path, `is still the example value ${show(placeholder)}: put your own`);
    }
  }
  const result = v.safeParse(schema, value);
  for (const issue of result.issues ?? []) {
    const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
    // unknownKeys has found them all; valibot reports only the first unknown key of a mapping.
    if (issue.expected === "never") continue;
    if (replacedByMisspelling(schema, value, path)) continue;
    if (path.some((_, length) => findings.has(JSON.stringify(path.slice(0, length))))) continue;
    // These messages have the value that was computed, such as a sum.
    const isOwn = /^(?:check|max_length)$/.test(issue.type) && issue.message.startsWith("must ");
    add(path, isOwn ? issue.message : describe(schema, value, path));
  }

  const all = [...findings.values()];
  if (result.success && all.length === 0) {
    return { findings: all, output: result.output, draft: result.output as Draft<v.InferOutput<Schema>> };
  }
  const draft = all.some(({ path }) => path.length === 0) ? undefined : without(result.output, all);
  return { findings: all, output: undefined, draft: draft as Draft<v.InferOutput<Schema>> | undefined };
}

function describe(schema: v.GenericSchema, value: unknown, path: Path): string {
  const given = valueAt(value, path);
  const parent = valueAt(value, path.slice(0, -1));
  const target = schemaAt(schema, path, value);
  const allowed = (target && aboutOf(target).allowed) ?? "another value";
  const key = path.at(-1);
  if (typeof key === "string" && isObject(parent) && !Object.hasOwn(parent, key)) return `is missing: ${allowed}`;

  const type = target && typeOf(target);
  if (type === "string" && (typeof given === "number" || typeof given === "boolean")) {
    return `must be ${allowed}, got ${show(given)} without quotes`;
  }
  const words = target && typeof given === "string" ? wordsOf(target) : [];
  const close = typeof given === "string" ? nearest(given, words) : undefined;
  return `must be ${allowed}, got ${show(given)}${close === undefined ? "" : ` (did you mean "${close}"?)`}`;
}

interface SchemaPlace {
  path: Path;
  schema: v.GenericSchema;
  value: unknown;
}

/** Yields a value and everything inside it that has a schema. */
function* placesIn(schema: v.GenericSchema, value: unknown, path: Path = []): Generator<SchemaPlace> {
  yield { path, schema, value };
  for (const [key, below] of children(schema, value)) {
    if (below) yield* placesIn(below, Reflect.get(Object(value), key), [...path, key]);
  }
}

/** Returns whether a list is where a mapping is required. Valibot treats it as an object with missing keys. */
function isListForMapping({ schema, value }: SchemaPlace): boolean {
  const { kind } = shapeOf(schema, value);
  return Array.isArray(value) && kind !== "list" && kind !== "leaf";
}

function* unknownKeys({ schema, value, path }: SchemaPlace): Generator<Finding> {
  for (const [key, below] of children(schema, value)) {
    if (below) continue;
    const known = Object.keys(entriesOf(schema, value) ?? {});
    const close = nearest(String(key), known);
    const advice = close === undefined ? `the keys here are ${joinWords(known, "and")}` : `did you mean "${close}"?`;
    const message = `is not a known key: ${advice}`;
    yield { path: [...path, key], message, ...(close !== undefined && { meant: close }) };
  }
}

/** Yields the keys of a value with their schemas; undefined for an unknown key. */
function* children(schema: v.GenericSchema, value: unknown): Generator<[string | number, v.GenericSchema | undefined]> {
  const shape = shapeOf(schema, value);
  if (Array.isArray(value) && shape.kind === "list") {
    for (const index of value.keys()) yield [index, shape.item];
  } else if (isObject(value) && shape.kind === "record") {
    for (const key of Object.keys(value)) yield [key, shape.value];
  } else if (isObject(value)) {
    const entries = entriesOf(schema, value);
    if (!entries) return;
    for (const key of Object.keys(value)) yield [key, Object.hasOwn(entries, key) ? entries[key] : undefined];
  }
}

/** Returns whether a missing key is present under a misspelt name, which is already reported. */
function replacedByMisspelling(schema: v.GenericSchema, value: unknown, path: Path): boolean {
  const key = path.at(-1);
  const above = path.slice(0, -1);
  const parent = valueAt(value, above);
  const parentSchema = schemaAt(schema, above, value);
  if (typeof key !== "string" || !isObject(parent) || Object.hasOwn(parent, key) || !parentSchema) return false;
  const known = Object.keys(entriesOf(parentSchema, parent) ?? {});
  return Object.keys(parent).some((given) => !known.includes(given) && nearest(given, known) === key);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((current, key) => {
    return isObject(current) || Array.isArray(current) ? Reflect.get(current, key) : undefined;
  }, value);
}

function without(value: unknown, findings: readonly Finding[]): unknown {
  for (const { path, meant } of findings) {
    const parent = valueAt(value, path.slice(0, -1));
    const key = path.at(-1);
    if (Array.isArray(parent) && typeof key === "number") parent[key] = undefined;
    else if (isObject(parent) && key !== undefined && Object.hasOwn(parent, key)) parent[key] = undefined;
    if (isObject(parent) && meant !== undefined) parent[meant] ??= undefined;
  }
  return value;
}
