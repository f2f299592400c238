import { FILTER_LIMITS } from "../limits.ts";
import { type Condition, everyCondition, type FieldReference, type Filter, type Operand } from "./parser.ts";
import { FilterError } from "./tokens.ts";

/** An entry of `fields` in a Personalize (Avro) schema. */
export interface SchemaField {
  name: string;
  type: string | readonly string[];
  categorical?: boolean;
  textual?: boolean;
}

/** The fields of the schemas of a dataset group's existing datasets. */
export interface FilterSchemas {
  Items?: readonly SchemaField[];
  Users?: readonly SchemaField[];
  Interactions?: readonly SchemaField[];
}

const NUMERIC = new Set(["int", "long", "float", "double"]);

/**
 * Returns every reason why Personalize would reject a parsed filter, in order of appearance; empty if the filter is
 * valid. Does not check that `CurrentItem` is used with related-item recipes only, since the recipe is known only at
 * request time.
 */
export function validateFilter(filter: Filter, schemas: FilterSchemas): FilterError[] {
  const problems: FilterError[] = [];
  for (const { clause, condition, inIf } of everyCondition(filter)) {
    problems.push(...placeProblems(condition, inIf), ...fieldProblems(condition, schemas));
    const first = firstDataset(clause.where);
    if (!inIf && condition.field.dataset !== "CurrentUser" && condition.field.dataset !== first) {
      problems.push(
        new FilterError(
          `one expression filters by one dataset: this one began with ${first}; join a second expression by "|"`,
          condition.position,
        ),
      );
    }
  }
  const fields = distinctFields(filter);
  if (fields.length > FILTER_LIMITS.fieldsPerFilter) {
    problems.push(
      new FilterError(
        `a filter uses at most ${FILTER_LIMITS.fieldsPerFilter} distinct fields, got ${fields.length}: ${fields.join(", ")}`,
      ),
    );
  }
  return problems;
}

/** Returns the dataset columns that a filter reads, each once and in upper case, such as `USERS.AGE`. */
export function distinctFields(filter: Filter): string[] {
  const fields = new Set<string>();
  for (const { condition } of everyCondition(filter)) {
    fields.add(columnOf(condition.field));
    for (const operand of condition.operands) if (operand.kind === "field") fields.add(columnOf(operand.field));
  }
  return [...fields];
}

function columnOf({ dataset, field }: FieldReference): string {
  return `${datasetOf(dataset)}.${field}`.toUpperCase();
}

function datasetOf(reference: FieldReference["dataset"]): keyof FilterSchemas {
  if (reference === "CurrentUser") return "Users";
  return reference === "CurrentItem" ? "Items" : reference;
}

function firstDataset(predicate: Filter["clauses"][number]["where"]): FieldReference["dataset"] | undefined {
  if (predicate.kind === "condition") return predicate.field.dataset;
  const [first] = predicate.parts;
  return first && firstDataset(first);
}

function placeProblems({ field, position }: Condition, inIf: boolean): FilterError[] {
  if (inIf && field.dataset !== "CurrentUser") {
    return [new FilterError(`IF checks CurrentUser only, got ${field.dataset}.${field.field}`, position)];
  }
  if (!inIf && field.dataset === "CurrentUser") {
    return [new FilterError("CurrentUser can be checked after IF only, at the end of an expression", position)];
  }
  if (field.dataset === "CurrentItem") {
    return [new FilterError("CurrentItem can only be a value, as in Items.PRICE < CurrentItem.PRICE", position)];
  }
  return [];
}

function fieldProblems(condition: Condition, schemas: FilterSchemas): FilterError[] {
  const field = resolve(condition.field, schemas);
  if (field instanceof FilterError) return [field];
  const operands = condition.operands.flatMap((operand) =>
    operandProblems(operand, condition, isNumeric(field), schemas),
  );
  return [...operatorProblems(condition, isNumeric(field)), ...operands];
}

function resolve(reference: FieldReference, schemas: FilterSchemas): SchemaField | FilterError {
  const { dataset, field, position } = reference;
  const fields = schemas[datasetOf(dataset)];
  const name = `${dataset}.${field}`;
  if (!fields) return new FilterError(`${name}: there is no ${datasetOf(dataset)} dataset`, position);
  const found = fields.find((candidate) => candidate.name.toUpperCase() === field.toUpperCase());
  if (!found) {
    return new FilterError(`${name} is not in the schema, which has ${fields.map((f) => f.name).join(", ")}`, position);
  }
  if (dataset === "Interactions" && found.name !== "EVENT_TYPE") {
    return new FilterError(`of Interactions only EVENT_TYPE can be filtered by, got ${name}`, position);
  }
  if (found.textual) return new FilterError(`${name} is textual; text cannot be filtered by`, position);
  if (typesOf(found).includes("boolean")) {
    return new FilterError(
      `${name} is boolean, which cannot be filtered by; use a string column with "True" and "False"`,
      position,
    );
  }
  return found;
}

function typesOf({ type }: SchemaField): readonly string[] {
  return typeof type === "string" ? [type] : type;
}

function isNumeric(field: SchemaField): boolean {
  return typesOf(field).some((type) => NUMERIC.has(type));
}

function operatorProblems({ field, operator, operands, position }: Condition, numeric: boolean): FilterError[] {
  const name = `${field.dataset}.${field.field}`;
  const membership = operator === "IN" || operator === "NOT IN";
  if (numeric && membership) {
    return [new FilterError(`${operator} compares texts, ${name} is a number; use =, !=, <, <=, > or >=`, position)];
  }
  // Personalize's documentation compares text with `=` in this place only: IF CurrentUser.MEMBERSHIP = $PREMIUM
  const equalityInIf = operator === "=" && field.dataset === "CurrentUser";
  if (!numeric && !membership && !equalityInIf) {
    return [new FilterError(`${operator} compares numbers, ${name} is text; use IN or NOT IN`, position)];
  }
  const placeholder = operands.find(({ kind }) => kind === "placeholder");
  if (operator === "NOT IN" && placeholder) {
    return [
      new FilterError(
        "NOT IN takes no placeholder; use IN with the opposite of INCLUDE and EXCLUDE",
        placeholder.position,
      ),
    ];
  }
  return [];
}

function operandProblems(
  operand: Operand,
  { field }: Condition,
  numeric: boolean,
  schemas: FilterSchemas,
): FilterError[] {
  const name = `${field.dataset}.${field.field}`;
  if (operand.kind === "number" && !numeric) {
    return [new FilterError(`${name} is text: write "${operand.value}" in double quotes`, operand.position)];
  }
  if (operand.kind === "text" && numeric) {
    return [new FilterError(`${name} is a number: write it without quotes, got "${operand.value}"`, operand.position)];
  }
  if (operand.kind === "text" && operand.value === "*" && field.dataset !== "Interactions") {
    return [new FilterError(`"*" can be used for Interactions.EVENT_TYPE only, not for ${name}`, operand.position)];
  }
  if (operand.kind !== "field") return [];
  if (field.dataset !== "Items") {
    return [new FilterError("a field of CurrentItem is compared with a field of Items", operand.position)];
  }
  const compared = resolve(operand.field, schemas);
  if (compared instanceof FilterError) return [compared];
  if (isNumeric(compared) === numeric) return [];
  const other = `CurrentItem.${operand.field.field}`;
  return [new FilterError(`${name} and ${other} are of different types`, operand.position)];
}
