import * as v from "valibot";
import { isObject } from "../platform/json/values.ts";
import type { About } from "./kinds.ts";
import type { Path } from "./problem.ts";

/** The structure of a schema, as far as messages, misspelt keys and the reference need it. */
export type Shape =
  | { kind: "section"; entries: Readonly<Record<string, v.GenericSchema>> }
  | { kind: "variant"; key: string; options: readonly v.GenericSchema[] }
  | { kind: "list"; item: v.GenericSchema }
  | { kind: "record"; value: v.GenericSchema }
  | { kind: "leaf" };

/** Returns the shape of a schema. `input` selects the schema where it depends on the value. */
export function shapeOf(schema: v.GenericSchema, input?: unknown): Shape {
  const inner = unwrap(schema, input);
  if (has(inner, "entries")) return { kind: "section", entries: inner.entries as Record<string, v.GenericSchema> };
  if (inner.type === "variant" && has(inner, "options") && has(inner, "key")) {
    return { kind: "variant", key: String(inner.key), options: inner.options as v.GenericSchema[] };
  }
  if (inner.type === "array" && has(inner, "item")) return { kind: "list", item: inner.item as v.GenericSchema };
  if (inner.type === "record" && has(inner, "value")) return { kind: "record", value: inner.value as v.GenericSchema };
  return { kind: "leaf" };
}

/** Returns the entries of a section, or of the option of a variant that `input` selects. */
export function entriesOf(
  schema: v.GenericSchema,
  input: unknown,
): Readonly<Record<string, v.GenericSchema>> | undefined {
  const shape = shapeOf(schema, input);
  if (shape.kind === "section") return shape.entries;
  if (shape.kind !== "variant") return undefined;
  const options = shape.options.map((option) => entriesOf(option, undefined) ?? {});
  const matching = options.find((entries) => {
    const key = entries[shape.key];
    return key && isObject(input) && v.is(key, input[shape.key]);
  });
  // If `input` selects no option, the keys of all options count, so that a misspelt key is still recognized.
  return matching ?? Object.assign({}, ...options, { [shape.key]: discriminator(shape, shape.key) });
}

/** Returns the schema at a path. The values of `input` along the path select the options of variants. */
export function schemaAt(schema: v.GenericSchema, path: Path, input: unknown): v.GenericSchema | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const below = isObject(input) || Array.isArray(input) ? Reflect.get(input, step) : undefined;
  const shape = shapeOf(schema, input);
  const next =
    shape.kind === "list"
      ? shape.item
      : shape.kind === "record"
        ? shape.value
        : (entriesOf(schema, input)?.[step] ?? discriminator(shape, step));
  return next && schemaAt(next, rest, below);
}

/** Returns the texts about a schema's value, also from inside `optional` and `nullable`. */
export function aboutOf(schema: v.GenericSchema): Partial<About> {
  let current = schema;
  while (current.type === "optional" || current.type === "nullable") {
    if (!has(current, "wrapped")) break;
    current = current.wrapped as v.GenericSchema;
  }
  return v.getMetadata(current);
}

/** Returns the default of an optional value; undefined if there is none. */
export function defaultOf(schema: v.GenericSchema): unknown {
  return schema.type === "optional" && has(schema, "default") ? schema.default : undefined;
}

/** Returns the type of a schema without its wrappers: "string", "number", "strict_object", … */
export function typeOf(schema: v.GenericSchema): string {
  return unwrap(schema).type;
}

/** Returns the words that a schema created by `word` allows; none for other schemas. */
export function wordsOf(schema: v.GenericSchema): readonly string[] {
  const inner = unwrap(schema);
  const options = inner.type === "picklist" && has(inner, "options") ? (inner.options as unknown[]) : [];
  return options.filter((option) => typeof option === "string");
}

function discriminator(shape: Shape, step: string | number): v.GenericSchema | undefined {
  if (shape.kind !== "variant" || step !== shape.key) return undefined;
  const { key, options } = shape;
  const words = options.flatMap((option) => wordsOf(entriesOf(option, undefined)?.[key] ?? option));
  return v.pipe(
    v.picklist(words),
    v.metadata({ allowed: words.map((word) => `"${word}"`).join(" or "), description: "Which kind it is." }),
  );
}

function unwrap(schema: v.GenericSchema, input?: unknown): v.GenericSchema {
  if (has(schema, "wrapped")) return unwrap(schema.wrapped as v.GenericSchema, input);
  if (schema.type === "lazy" && has(schema, "getter")) {
    return unwrap((schema.getter as (input: unknown) => v.GenericSchema)(input), input);
  }
  return schema;
}

function has<Key extends string>(
  value: object,
  key: Key,
): value is Record<Key, unknown> & { type: string } & v.GenericSchema {
  return key in value;
}

/** A value of a schema, for the reference. `path` has the same form as in problems, but with `[]` for list entries. */
export interface Described {
  path: string;
  schema: v.GenericSchema;
  required: boolean;
  /** The only kind of its section that has this key, such as `type: basic`. */
  only?: string;
}

/** Yields every value that a schema describes, each section before its contents. */
export function* describedBy(schema: v.GenericSchema, path = ""): Generator<Described> {
  const shape = shapeOf(schema, undefined);
  if (shape.kind === "list") yield* describedBy(shape.item, `${path}[]`);
  if (shape.kind === "section") yield* entriesBelow(shape.entries, path);
  if (shape.kind !== "variant") return;
  const { key, options } = shape;
  const discriminated = discriminator(shape, key);
  if (discriminated) yield { path: `${path}.${key}`, schema: discriminated, required: true };
  for (const option of options) {
    const word = wordsOf(entriesOf(option, undefined)?.[key] ?? option)[0];
    for (const described of describedBy(option, path)) {
      if (described.path !== `${path}.${key}`) yield { ...described, only: `${key}: ${word}` };
    }
  }
}

/** Returns the names of all keys of a schema, each once. */
export function keysOf(schema: v.GenericSchema): string[] {
  return [...new Set([...describedBy(schema)].map(({ path }) => path.replace(/^.*\./, "").replaceAll("[]", "")))];
}

function* entriesBelow(entries: Readonly<Record<string, v.GenericSchema>>, path: string): Generator<Described> {
  for (const [key, schema] of Object.entries(entries)) {
    const below = path === "" ? key : `${path}.${key}`;
    yield { path: below, schema, required: schema.type !== "optional" };
    yield* describedBy(schema, below);
  }
}
