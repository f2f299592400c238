import { isDeepStrictEqual } from "node:util";
import { type ConversionConfig, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";

export type Json = Record<string, unknown>;

/** The schemas of an API by their names in `components`. One schema may have a name in each list. */
export interface SchemaNames {
  /** Converted as the caller writes them: fields with a default are optional. */
  requests: Readonly<Record<string, GenericSchema>>;
  /** Converted as the service writes them: fields with a default are always there. */
  answers: Readonly<Record<string, GenericSchema>>;
}

/**
 * Returns `components.schemas`. Throws when a name means two different schemas, and for a lazy schema without a name.
 * Checks that JSON Schema cannot express are left to descriptions.
 */
export function schemaComponents({ requests, answers }: SchemaNames): Record<string, Json> {
  const asked = definitions(requests, "input");
  const answered = definitions(answers, "output");
  for (const [name, schema] of Object.entries(answered)) {
    if (asked[name] !== undefined && !isDeepStrictEqual(asked[name], schema)) {
      throw new Error(`${name} is one schema in requests and another in answers; give the second a name of its own`);
    }
  }
  return { ...asked, ...answered };
}

/** Returns a reference to a named schema. */
export function schemaReference(schema: GenericSchema, names: SchemaNames[keyof SchemaNames]): Json {
  const [name] = Object.entries(names).find(([, named]) => named === schema) ?? [];
  if (name === undefined) throw new Error(`a ${schema.type} schema of a route has no name`);
  return { $ref: referenceTo(name) };
}

const referenceTo = (name: string) => `#/components/schemas/${name}`;

function definitions(named: Readonly<Record<string, GenericSchema>>, typeMode: "input" | "output") {
  const schemas = toJsonSchemaDefs(named, {
    target: "draft-2020-12",
    typeMode,
    ignoreActions: ["check", "raw_check"],
    overrideRef: ({ referenceId }) => referenceTo(referenceId),
    overrideSchema: typeMode === "input" ? asGiven : asAnswered,
  }) as Record<string, Json>;
  const unnamed = Object.keys(schemas).filter((name) => !(name in named));
  if (unnamed.length > 0) throw new Error(`${unnamed.length} lazy schemas have no name`);
  return schemas;
}

type Override = NonNullable<ConversionConfig["overrideSchema"]>;

/**
 * Generators read a missing `additionalProperties` in different ways, so open objects say that they are open. Descriptions
 * state defaults: openapi-typescript requires a caller to set every field that has one.
 */
const asGiven: Override = ({ valibotSchema, jsonSchema }) => {
  const { required, default: _, anyOf, properties, ...rest } = jsonSchema;
  return {
    ...rest,
    ...(properties && Object.keys(properties).length > 0 && { properties }),
    // An optional union is one union.
    ...(anyOf && { anyOf: anyOf.flatMap((one) => (typeof one === "object" && one.anyOf) || one) }),
    ...(required && required.length > 0 && { required }),
    ...((valibotSchema as GenericSchema).type === "loose_object" && { additionalProperties: true }),
  };
};

/** In an answer, a field with a default is there, and is null only when null is its default. */
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
