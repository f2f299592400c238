import * as v from "valibot";
import type { Dataset } from "../platform/contract/recommendation.ts";
import { flag, list, section, textOrList, word } from "./kinds.ts";
import { ColumnName } from "./names.ts";

/** The name that Personalize requires for a dataset's Avro record. */
export const RECORD_NAMES = { user: "Users", item: "Items", interaction: "Interactions" } as const satisfies Record<
  Dataset,
  string
>;

/** Avro types that Personalize supports. */
const TYPES = ["null", "string", "int", "long", "float", "double", "boolean"] as const;

/** A type of a field. */
export type AvroType = (typeof TYPES)[number];

const TypeName = word(TYPES, "A type.");

const Field = section(
  {
    name: ColumnName("Name."),
    type: textOrList(
      TypeName,
      list(TypeName, "Types.", { min: 1, max: 2 }),
      'a type such as "string", or two such as ["null", "string"]',
      "Type, or a union with null.",
    ),
    categorical: v.optional(flag("Whether the values are categories, several joined by a vertical bar.")),
    textual: v.optional(flag("Whether the values are text. Items only.")),
  },
  "One field.",
);

const schemaOf = (dataset: Dataset) =>
  section(
    {
      type: word(["record"], "Avro's record."),
      name: word([RECORD_NAMES[dataset]], "Name of the record."),
      namespace: word(["com.amazonaws.personalize.schema"], "Personalize's namespace."),
      fields: list(Field, "The fields.", { min: 1, max: 110 }),
      version: word(["1.0"], "Version of the format."),
    },
    `Schema of the ${dataset} dataset.`,
  );

const SCHEMAS = {
  user: schemaOf("user"),
  item: schemaOf("item"),
  interaction: schemaOf("interaction"),
} as const satisfies Record<Dataset, unknown>;

/** conf/schema/<dataset>_schema.json: the Avro schema of a Personalize dataset. */
export const AvroSchema = (dataset: Dataset) => SCHEMAS[dataset];

/** The Avro schema of a dataset. */
export type AvroSchema = v.InferOutput<ReturnType<typeof AvroSchema>>;

/** One field of a schema. */
export type AvroField = v.InferOutput<typeof Field>;

/** Returns the types of a field as a list. */
export function typesOf(field: Pick<AvroField, "type">): readonly AvroType[] {
  return Array.isArray(field.type) ? field.type : [field.type];
}
