import type { Dataset } from "../../platform/contract/recommendation.ts";
import { type AvroField, type AvroSchema, type AvroType, RECORD_NAMES } from "../../settings/avro.ts";
import type { EtlDataset } from "../../settings/etl.ts";
import { Column } from "./column.ts";
import { RULES, TEXT_SEPARATOR, TEXTUAL_FIELD } from "./rules.ts";

/** The schema of one dataset, and how ETL derives its fields from source columns. */
export interface Inferred {
  schema: AvroSchema;
  etl: EtlDataset;
}

/** The part of a sample that its schema depends on: the columns, in file order, and the number of rows. */
export interface Described {
  dataset: Dataset;
  columns: ReadonlyMap<string, Column>;
  rows: number;
}

/** Infers the schema of a sample. The columns in `textual` are joined into TEXTUAL_FIELD. */
export function infer(sample: Described, textual: readonly string[] = []): Inferred {
  const { dataset, columns } = sample;
  const { leading, beside } = RULES[dataset];
  const own = [...columns.keys()].filter((name) => ![...leading, ...beside, ...textual].includes(name));
  const front = leading.filter((name) => name !== TEXTUAL_FIELD || textual.length > 0);
  const fields = [...front, ...own].map((name) => field(sample, name));
  const sources =
    dataset === "interaction" ? [...front, ...own] : [...columns.keys()].filter((name) => name !== "IS_ACTIVE");
  return {
    schema: {
      type: "record",
      name: RECORD_NAMES[dataset],
      namespace: "com.amazonaws.personalize.schema",
      fields,
      version: "1.0",
    },
    etl: {
      columns: sources.map((name) => ({ name, ...source(sample, name, textual.includes(name)) })),
      joins: textual.length > 0 ? [{ field: TEXTUAL_FIELD, columns: [...textual], separator: TEXT_SEPARATOR }] : [],
      renames: [],
    },
  };
}

function field(sample: Described, name: string): AvroField {
  if (name === TEXTUAL_FIELD) return { name, type: ["null", "string"], textual: true };
  // Always nullable, even if the sample has the column, because clients may omit it from an event.
  if (sample.dataset === "interaction" && name === "EVENT_VALUE") return { name, type: ["float", "null"] };
  if (sample.dataset === "interaction" && name === "IMPRESSION") return { name, type: ["string", "null"] };
  const { type, nullable } = source(sample, name, false);
  const column = sample.columns.get(name);
  const categorical = !RULES[sample.dataset].unflagged.includes(name) && column?.isCategorical(sample.rows);
  const union: AvroType[] = ["null", type];
  return { name, type: nullable ? union : type, ...(categorical && { categorical: true }) };
}

function source(sample: Described, name: string, textual: boolean): Omit<EtlDataset["columns"][number], "name"> {
  const column = sample.columns.get(name) ?? new Column(name);
  const fixed = RULES[sample.dataset].types[name];
  const implied = name === "IS_ACTIVE";
  // Events of visitors who are not known lack the user, and get the session for it.
  const required = RULES[sample.dataset].required.includes(name);
  const optional = sample.dataset === "interaction" && ["EVENT_VALUE", "IMPRESSION"].includes(name);
  return {
    type: textual ? "string" : (fixed ?? column.type),
    nullable: !implied && !required && (optional || textual || column.values < sample.rows),
    multiple: name === "IMPRESSION" || (column.type === "string" && column.multiple && !textual),
  };
}
