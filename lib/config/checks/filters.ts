import type { Dataset } from "../avro.ts";
import { expressionProblems, mentionsOf } from "../filter-expression.ts";
import { nearest } from "../nearest.ts";
import { type Check, type Drafts, sound, uniqueBy } from "./drafts.ts";

/** Personalize's quotas of distinct fields (facts: "Filters"). */
const MAX_FIELDS = 10;
const MAX_FIELDS_OF_ONE = 5;

const DATASET_OF: Readonly<Record<string, Dataset>> = {
  items: "item",
  users: "user",
  currentuser: "user",
  interactions: "interaction",
};

/** Filter names are unique, expressions well-formed, their fields known and within the quotas. */
export const checkFilters: Check = (drafts, report) => {
  const filters = drafts.filter?.filters;
  uniqueBy(
    filters,
    ({ name }) => name,
    (index, name, first) =>
      report("filter", ["filters", index, "name"], `"${name}" is there twice: see filters[${first}]`),
  );
  const all = new Set<string>();
  for (const [index, { expression }] of sound(filters)) {
    if (expression === undefined) continue;
    const problem = (message: string) => report("filter", ["filters", index, "expression"], message);
    for (const message of expressionProblems(expression)) problem(message);
    const { fields } = mentionsOf(expression);
    for (const field of fields) {
      const message = unknownField(drafts, field);
      if (message !== undefined) problem(message);
      all.add(field.toLowerCase());
    }
    if (fields.length > MAX_FIELDS_OF_ONE) {
      problem(
        `uses ${fields.length} fields (${fields.join(", ")}): Personalize takes at most ${MAX_FIELDS_OF_ONE} in a filter`,
      );
    }
  }
  if (all.size > MAX_FIELDS) {
    const message = `use ${all.size} fields together (${[...all].join(", ")}): Personalize takes at most ${MAX_FIELDS}`;
    report("filter", ["filters"], message);
  }
};

function unknownField(drafts: Drafts, field: string): string | undefined {
  const [alias = "", column = ""] = field.split(".");
  const dataset = DATASET_OF[alias.toLowerCase()];
  const fields = dataset && drafts[dataset]?.fields;
  if (!fields) return undefined;
  const names = sound(fields).flatMap(([, { name }]) => name ?? []);
  if (names.includes(column)) return undefined;
  const close = nearest(column, names);
  const advice = close === undefined ? `it has ${names.join(", ")}` : `did you mean ${alias}.${close}?`;
  return `uses ${field}, which is not in the ${dataset} schema: ${advice}`;
}
