import { type AvroField, type AvroSchema, type Dataset, typesOf } from "../../config/avro.ts";

/**
 * Returns why a dataset cannot change to another schema, one reason each; an empty list if it can. Existing fields must
 * keep their types and attributes, new ones must be nullable, and the schema of interactions cannot change at all.
 * Source: "Replacing a dataset's schema to add new columns", Amazon Personalize Developer Guide.
 */
export function schemaChangeProblems(
  dataset: Dataset,
  before: Pick<AvroSchema, "fields">,
  after: Pick<AvroSchema, "fields">,
): string[] {
  const kept = new Map(after.fields.map((field) => [field.name, field]));
  const known = new Set(before.fields.map(({ name }) => name));
  const added = after.fields.filter(({ name }) => !known.has(name));
  const changes = [
    ...before.fields.flatMap((field) => lossOf(field, kept.get(field.name))),
    ...(dataset === "interaction" ? added.map(({ name }) => `${name} is new`) : added.flatMap(refusalOf)),
  ];
  if (changes.length > 0) return changes;
  const moved = before.fields.some(({ name }, index) => after.fields[index]?.name !== name);
  return dataset === "interaction" && moved ? ["the fields are in another order"] : [];
}

function lossOf(field: AvroField, now: AvroField | undefined): string[] {
  const { name } = field;
  if (!now) return [`${name} is gone`];
  const old = typesOf(field).join(" or ");
  const types = typesOf(now).join(" or ");
  if (old !== types) return [`${name} was ${old} and is ${types}`];
  return (["categorical", "textual"] as const)
    .filter((attribute) => (field[attribute] ?? false) !== (now[attribute] ?? false))
    .map((attribute) => `${name} ${now[attribute] ? "is now" : "is no longer"} ${attribute}`);
}

function refusalOf(field: AvroField): string[] {
  return typesOf(field).includes("null") ? [] : [`the new ${field.name} may not be null, and what is stored lacks it`];
}
