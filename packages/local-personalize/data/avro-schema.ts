import type { SchemaField } from "@relevance/lib/personalize/filters/validate.ts";
import * as v from "valibot";
import { DATASET_TYPES, type DatasetType } from "../resources.ts";
import { invalid } from "../service-error.ts";

/** A valid schema. The types of each field are a list. */
export interface DatasetSchema {
  name: string;
  fields: readonly (SchemaField & { types: readonly string[] })[];
}

const NAMESPACE = "com.amazonaws.personalize.schema";
const TYPES = ["float", "double", "int", "long", "string", "boolean", "null"];
/** Required columns (never null) and reserved columns of each dataset type, with the type that each must have. */
const REQUIRED: Readonly<Record<DatasetType, Readonly<Record<string, string>>>> = {
  INTERACTIONS: { USER_ID: "string", ITEM_ID: "string", TIMESTAMP: "long" },
  ITEMS: { ITEM_ID: "string" },
  USERS: { USER_ID: "string" },
};
const RESERVED: Readonly<Record<DatasetType, Readonly<Record<string, string>>>> = {
  INTERACTIONS: {
    EVENT_TYPE: "string",
    EVENT_VALUE: "float",
    IMPRESSION: "string",
    RECOMMENDATION_ID: "string",
    EVENT_ATTRIBUTION_SOURCE: "string",
  },
  ITEMS: { CREATION_TIMESTAMP: "long" },
  USERS: {},
};
const MOST_METADATA: Readonly<Record<DatasetType, number>> = { INTERACTIONS: 5, ITEMS: 100, USERS: 25 };

const Field = v.looseObject({
  name: v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z\d_]*$/, "a field name is letters, digits and underscores")),
  type: v.union([v.string(), v.pipe(v.array(v.string()), v.minLength(1))], "a field type is a name or a list of names"),
  categorical: v.optional(v.boolean()),
  textual: v.optional(v.boolean()),
});

const Record_ = v.looseObject({
  type: v.literal("record"),
  name: v.string(),
  namespace: v.literal(NAMESPACE, `namespace must be ${NAMESPACE}`),
  version: v.literal("1.0", "version must be 1.0"),
  fields: v.pipe(v.array(Field), v.minLength(1)),
});

/** Parses an Avro schema and checks it against the rules of its dataset type. Throws InvalidInputException. */
export function parseSchema(text: string): DatasetSchema {
  const result = v.safeParse(Record_, parseJson(text));
  if (!result.success) {
    const [issue] = result.issues;
    throw invalid(`Invalid schema: ${v.getDotPath(issue) ?? "record"}: ${issue.message}`);
  }
  const fields = result.output.fields.map(({ name, type, categorical, textual }) => ({
    name,
    type,
    types: typeof type === "string" ? [type] : type,
    ...(categorical !== undefined && { categorical }),
    ...(textual !== undefined && { textual }),
  }));
  const schema = { name: result.output.name, fields };
  checkFields(schema);
  const datasetType = datasetTypeOf(schema);
  if (!datasetType) throw invalid(`Invalid schema: name must be Interactions, Items or Users, got "${schema.name}"`);
  checkDataset(schema, datasetType);
  return schema;
}

/** Returns the dataset type that a schema's record name stands for. */
export function datasetTypeOf(schema: DatasetSchema): DatasetType | undefined {
  return DATASET_TYPES.find((type) => schema.name === `${type.charAt(0)}${type.slice(1).toLowerCase()}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`Invalid schema: not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function checkFields({ fields }: DatasetSchema): void {
  const seen = new Map<string, string>();
  for (const { name, types, categorical, textual } of fields) {
    const unknown = types.find((type) => !TYPES.includes(type));
    if (unknown) throw invalid(`Invalid schema: field ${name} has type "${unknown}", allowed are ${TYPES.join(", ")}`);
    const real = types.filter((type) => type !== "null");
    if (real.length !== 1) throw invalid(`Invalid schema: field ${name} needs one type, alone or with null`);
    const key = name.replaceAll("_", "").toUpperCase();
    const other = seen.get(key);
    if (other) throw invalid(`Invalid schema: fields ${other} and ${name} differ by underscores or case only`);
    seen.set(key, name);
    if ((categorical || textual) && real[0] !== "string") {
      throw invalid(`Invalid schema: field ${name} is ${categorical ? "categorical" : "textual"} but not a string`);
    }
    if (categorical && textual) throw invalid(`Invalid schema: field ${name} is both categorical and textual`);
  }
}

function checkDataset({ name, fields }: DatasetSchema, type: DatasetType): void {
  for (const [column, wanted] of Object.entries(REQUIRED[type])) {
    const field = fields.find((candidate) => candidate.name === column);
    if (!field) throw invalid(`Invalid schema: ${name} needs the field ${column}`);
    if (field.types.length !== 1 || field.types[0] !== wanted) {
      throw invalid(`Invalid schema: field ${column} must be of type ${wanted}, without null`);
    }
  }
  for (const field of fields) {
    const wanted = RESERVED[type][field.name];
    if (wanted && !field.types.includes(wanted)) {
      throw invalid(`Invalid schema: field ${field.name} must be of type ${wanted}`);
    }
    if ((wanted || REQUIRED[type][field.name]) && (field.categorical || field.textual)) {
      throw invalid(`Invalid schema: the reserved field ${field.name} is neither categorical nor textual`);
    }
    if (field.textual && type !== "ITEMS")
      throw invalid(`Invalid schema: only Items has textual fields: ${field.name}`);
  }
  const metadata = fields.filter((field) => !REQUIRED[type][field.name] && !RESERVED[type][field.name]);
  if (metadata.length > MOST_METADATA[type]) {
    throw invalid(`Invalid schema: ${name} has at most ${MOST_METADATA[type]} metadata fields, got ${metadata.length}`);
  }
  if (type !== "INTERACTIONS" && fields.length < 2) {
    throw invalid(`Invalid schema: ${name} needs at least one metadata field`);
  }
}
