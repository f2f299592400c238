import { placeholders } from "../../personalize/filters/evaluate.ts";
import { parseFilter } from "../../personalize/filters/parser.ts";
import { FilterError } from "../../personalize/filters/tokens.ts";
import {
  distinctFields,
  type FilterSchemas,
  type SchemaField,
  validateFilter,
} from "../../personalize/filters/validate.ts";
import { FILTER_LIMITS, MAX_FILTER_VALUES } from "../../personalize/limits.ts";
import type { Dataset } from "../../platform/contract/recommendation.ts";
import { type Check, type Drafts, noneTwice, sound } from "./drafts.ts";

/**
 * Checks that filter names are unique, and that Personalize accepts the expressions with these schemas and its quotas.
 */
export const checkFilters: Check = (drafts, report) => {
  const filters = drafts.filter?.filters;
  noneTwice(report, "filter", ["filters"], filters, "name", (first) => `: see filters[${first}]`);
  const schemas = schemasOf(drafts);
  const all = new Set<string>();
  for (const [index, { expression }] of sound(filters)) {
    if (expression === undefined) continue;
    for (const message of expressionProblems(expression, schemas, all)) {
      report("filter", ["filters", index, "expression"], message);
    }
  }
  if (all.size > FILTER_LIMITS.fieldsPerGroup) {
    const message = `use ${all.size} distinct fields together (${[...all].join(", ")}): Personalize takes ${FILTER_LIMITS.fieldsPerGroup}`;
    report("filter", ["filters"], message);
  }
};

function expressionProblems(expression: string, schemas: FilterSchemas | undefined, fields: Set<string>): string[] {
  try {
    const filter = parseFilter(expression);
    for (const field of distinctFields(filter)) fields.add(field);
    const problems = schemas ? validateFilter(filter, schemas).map(({ message }) => message) : [];
    const { length } = placeholders(filter);
    if (length > MAX_FILTER_VALUES) problems.push(`has ${length} placeholders: Personalize takes ${MAX_FILTER_VALUES}`);
    return problems;
  } catch (error) {
    if (error instanceof FilterError) return [error.message];
    throw error;
  }
}

/**
 * Returns the schemas; undefined if one is missing or has an invalid field, so that no filter is blamed for a schema.
 */
function schemasOf(drafts: Drafts): FilterSchemas | undefined {
  const Items = fieldsOf(drafts, "item");
  const Users = fieldsOf(drafts, "user");
  const Interactions = fieldsOf(drafts, "interaction");
  return Items && Users && Interactions && { Items, Users, Interactions };
}

function fieldsOf(drafts: Drafts, dataset: Dataset): SchemaField[] | undefined {
  const fields = drafts[dataset]?.fields;
  const whole = sound(fields).flatMap(([, { name, type, categorical, textual }]) => {
    const types = typeof type === "string" ? [type] : sound(type).map(([, one]) => one);
    if (name === undefined || type === undefined) return [];
    return [{ name, type: types, ...(categorical && { categorical }), ...(textual && { textual }) }];
  });
  return fields?.length === whole.length ? whole : undefined;
}
