import {
  MAX_TEXTUAL_FIELDS,
  METADATA_FIELDS,
  metadataFields,
  REQUIRED_FIELDS,
  RESERVED_FIELDS,
} from "../../personalize/limits.ts";
import { DATASETS, type Dataset } from "../../platform/contract/recommendation.ts";
import { type AvroField, type AvroType, typesOf } from "../avro.ts";
import { nameProblem } from "../property-name.ts";
import type { Draft } from "../validate.ts";
import { type Check, sound, uniqueBy } from "./drafts.ts";

/** Required fields, with their types. */
const REQUIRED: Readonly<Record<Dataset, Readonly<Record<string, AvroType>>>> = REQUIRED_FIELDS;

/** Fields with reserved names, with their allowed types besides null. */
const RESERVED: Readonly<Record<Dataset, Readonly<Record<string, readonly AvroType[]>>>> = RESERVED_FIELDS;

/** Checks that Personalize accepts the schemas. Source: "Creating schema JSON files", developer guide. */
export const checkSchemas: Check = (drafts, report) => {
  for (const dataset of DATASETS) {
    const fields = drafts[dataset]?.fields;
    if (!fields) continue;
    const problem = (path: (string | number)[], message: string) => report(dataset, ["fields", ...path], message);

    uniqueBy(
      fields,
      // Personalize ignores underscores and case, since it derives camel-case property names from these names.
      ({ name }) => name?.replaceAll("_", "").toUpperCase(),
      (index, _, first) => {
        const message = `is the same as "${fields[first]?.name}" to Personalize, which ignores underscores`;
        problem([index, "name"], message);
      },
    );
    const names = new Set(sound(fields).flatMap(([, { name }]) => name ?? []));
    const missing = Object.keys(REQUIRED[dataset]).filter((name) => !names.has(name));
    for (const name of missing) problem([], `lacks ${name}, which Personalize requires`);

    let textual = 0;
    for (const [index, field] of sound(fields)) {
      const unnamed = field.name === undefined ? undefined : nameProblem(field.name);
      if (unnamed !== undefined) problem([index, "name"], `is "${field.name}": ${unnamed}`);
      const wrong = fieldProblem(dataset, field);
      if (wrong) problem([index, wrong.key], wrong.message);
      else if (field.textual) {
        textual += 1;
        if (textual > MAX_TEXTUAL_FIELDS) {
          problem([index, "textual"], `is true for ${textual} fields: Personalize takes ${MAX_TEXTUAL_FIELDS}`);
        }
      }
    }
    const metadata = metadataFields(dataset, names).length;
    const { min, max } = METADATA_FIELDS[dataset];
    if (metadata < min) problem([], `needs at least ${min} field beside ${Object.keys(REQUIRED[dataset]).join(", ")}`);
    if (metadata > max) problem([], `has ${metadata} fields of its own: Personalize takes at most ${max}`);
  }
};

function fieldProblem(dataset: Dataset, field: Draft<AvroField>): { key: string; message: string } | undefined {
  const { name, type } = field;
  if (name === undefined || type === undefined) return undefined;
  const types = typesOf({ type: type as AvroField["type"] });
  const values = types.filter((one) => one !== "null");
  if (values.length !== 1) {
    return { key: "type", message: 'must be one type, or one type and "null"' };
  }
  const [value = "null"] = values;
  const required = Object.hasOwn(REQUIRED[dataset], name) ? REQUIRED[dataset][name] : undefined;
  if (required !== undefined && (value !== required || types.length > 1)) {
    return { key: "type", message: `must be "${required}" for ${name}` };
  }
  const reserved = Object.hasOwn(RESERVED[dataset], name) ? RESERVED[dataset][name] : undefined;
  if (reserved !== undefined && !reserved.includes(value)) {
    return { key: "type", message: `must be "${reserved.join('" or "')}" (or that and "null") for ${name}` };
  }
  if (field.categorical && (required !== undefined || reserved !== undefined)) {
    return { key: "categorical", message: `cannot be true for ${name}` };
  }
  if ((field.categorical || field.textual) && value !== "string") {
    return {
      key: field.categorical ? "categorical" : "textual",
      message: `needs the type "string", ${name} has "${value}"`,
    };
  }
  if (field.textual && dataset !== "item") {
    return { key: "textual", message: "can be true in the item schema only" };
  }
  if (field.textual && field.categorical) {
    return { key: "textual", message: "cannot be true together with categorical" };
  }
  return undefined;
}
