import { isDeepStrictEqual } from "node:util";
import { type ConversionConfig, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";

export type Json = Record<string, unknown>;

/** The schemas of an API by their names in `components`. */
export type SchemaNames = Readonly<Record<string, GenericSchema>>;

/** The parts of a document that refer to schemas. */
export interface References {
  requests: unknown;
  answers: unknown;
}

/**
 * Returns `components.schemas`, each in the form of the part that refers to it. Throws if a name means two different
 * schemas, or if a lazy schema has no name. Leaves checks that JSON Schema cannot express to descriptions.
 */
export function schemaComponents(named: SchemaNames, { requests, answers }: References): Record<string, Json> {
  const asked = referred(definitions(named, "input"), requests);
  const all = definitions(named, "output");
  const others = Object.keys(all).filter((name) => !(name in asked));
  const answered = referred(all, [answers, others.map(referenceTo)]);
  for (const [name, schema] of Object.entries(answered)) {
    if (asked[name] !== undefined && !isDeepStrictEqual(asked[name], schema)) {
      throw new Error(`${name} is one schema in requests and another in answers; make the second a schema of its own`);
    }
  }
  return { ...asked, ...answered };
}

/** Returns the definitions that a part of a document refers to, directly or by others. */
function referred(all: Readonly<Record<string, Json>>, part: unknown): Record<string, Json> {
  const found = new Set<string>();
  const add = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (found.has(name) || !(name in all)) continue;
      found.add(name);
      add(all[name]);
    }
  };
  add(part);
  return Object.fromEntries(Object.entries(all).filter(([name]) => found.has(name)));
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** Returns a reference to a named schema. */
export function schemaReference(schema: GenericSchema, named: SchemaNames): Json {
  const [name] = Object.entries(named).find(([, one]) => one === schema) ?? [];
  if (name === undefined) throw new Error(`a ${schema.type} schema of a route has no name`);
  return { $ref: referenceTo(name) };
}

const referenceTo = (name: string) => `#/components/schemas/${name}`;

function definitions(named: SchemaNames, typeMode: "input" | "output") {
  const schemas = toJsonSchemaDefs(named, {
    target: "draft-2020-12",
    typeMode,
    ignoreActions: ["check", "raw_check"],
    overrideRef: ({ referenceId }) => referenceTo(referenceId),
    overrideSchema: typeMode === "input" ? asGiven : asAnswered,
  }) as Record<string, Json>;
  const unnamed = Object.keys(schemas).filter((name) => !(name in named));
  if (unnamed.length > 0) throw new Error(`${unnamed.length} lazy schemas have no name`);
  // `allowed` is for the problems of configuration files.
  return JSON.parse(JSON.stringify(schemas, (key, value) => (key === "allowed" ? undefined : value)));
}

type Override = NonNullable<ConversionConfig["overrideSchema"]>;

/**
 * Converts a schema. Sets `additionalProperties` of open objects, since generators interpret a missing one differently.
 * Omits `default`, since openapi-typescript would require callers to set the field; descriptions state defaults.
 */
const asGiven: Override = ({ valibotSchema, jsonSchema }) => {
  const { required, default: _, anyOf, properties, ...rest } = jsonSchema;
  return {
    ...rest,
    ...(properties && Object.keys(properties).length > 0 && { properties }),
    // Merges a union inside an optional union.
    ...(anyOf && { anyOf: anyOf.flatMap((one) => (typeof one === "object" && one.anyOf) || one) }),
    ...(required && required.length > 0 && { required }),
    ...((valibotSchema as GenericSchema).type === "loose_object" && { additionalProperties: true }),
  };
};

/** Converts a schema of an answer, where a field with a default is present, and null only if its default is null. */
const asAnswered: Override = (options) => {
  const schema = asGiven(options) ?? {};
  const {
    type,
    default: preset,
    entries,
  } = options.valibotSchema as {
    type: string;
    default?: unknown;
    entries?: Readonly<Record<string, GenericSchema & { default?: unknown }>>;
  };
  if (type === "nullish" && preset !== undefined && preset !== null) {
    const [present] = schema.anyOf ?? [];
    return typeof present === "object" ? present : null;
  }
  if (entries === undefined) return schema;
  const required = Object.entries(entries).flatMap(([name, entry]) =>
    /^(?:exact_optional|nullish|optional)$/.test(entry.type) && entry.default === undefined ? [] : [name],
  );
  return { ...schema, ...(required.length > 0 && { required }) };
};
