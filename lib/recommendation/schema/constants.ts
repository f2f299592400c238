import { everyCondition, validFilter } from "../../personalize/filters/parser.ts";
import type { Dataset } from "../../platform/contract/recommendation.ts";
import type { Filter } from "../../settings/filter.ts";
import { nearest } from "../../settings/nearest.ts";
import type { Value } from "./row.ts";

const DATASET_OF = { Items: "item", CurrentUser: "user", CurrentItem: "item", Interactions: "interaction" } as const;

/** Distinct values of a column to remember for messages. */
const REMEMBERED = 100;
/** Length beyond which values are not remembered. */
const LONGEST = 100;
const SHOWN = 10;

/** A column that filters compare with texts. */
interface Compared {
  column: string;
  /** Texts that no value equals, with the names of the filters. */
  absent: Map<string, string[]>;
  values: Set<string>;
}

/** The texts that filters compare columns with. */
export interface Constants {
  /** Records a value of a column, so that constants equal to it are not reported. */
  see(dataset: Dataset, column: string, value: Value): void;
  /** Returns a line for each constant that no value equals: a condition on it never matches. */
  absent(given: readonly Dataset[]): string[];
}

/** Collects the constants of filters, other than event types. Skips expressions that `relevance validate` refuses. */
export function constantsOf(filters: readonly Filter[]): Constants {
  const compared = new Map<string, Compared>();
  const keyOf = (dataset: Dataset, column: string) => `${dataset} ${column.toUpperCase()}`;
  for (const { name, expression } of filters) {
    for (const { dataset, column, text } of textsIn(expression)) {
      const key = keyOf(dataset, column);
      const one = compared.get(key) ?? { column, absent: new Map(), values: new Set() };
      compared.set(key, one);
      one.absent.set(text, [...new Set([...(one.absent.get(text) ?? []), name])]);
      // The service writes these itself.
      if (column.toUpperCase() === "IS_ACTIVE") for (const value of ["True", "False"]) one.values.add(value);
    }
  }
  for (const { absent, values } of compared.values()) for (const value of values) absent.delete(value);
  return {
    see(dataset, column, value) {
      if (compared.size === 0 || value === undefined) return;
      const one = compared.get(keyOf(dataset, column));
      if (!one || one.column.toUpperCase() === "IS_ACTIVE") return;
      for (const part of String(value).split("|")) {
        one.absent.delete(part);
        if (one.values.size < REMEMBERED && part.length <= LONGEST) one.values.add(part);
      }
    },
    absent(given) {
      return [...compared].flatMap(([key, { column, absent, values }]) => {
        if (!given.some((dataset) => key.startsWith(`${dataset} `))) return [];
        return [...absent].map(([text, filters]) => {
          const close = nearest(text, values);
          const some = [...values].slice(0, SHOWN).map((value) => JSON.stringify(value));
          const has =
            some.length > 0 ? `it has ${some.join(", ")}${values.size > some.length ? ", …" : ""}` : "it has none";
          return (
            `filter.yaml: the filter ${filters.join(" and ")} compares ${column} with "${text}", which no row has: ` +
            (close ? `did you mean "${close}"?` : has)
          );
        });
      });
    },
  };
}

function textsIn(expression: string): { dataset: Dataset; column: string; text: string }[] {
  const filter = validFilter(expression);
  return [...(filter ? everyCondition(filter) : [])].flatMap(({ condition: { field, operands } }) => {
    const dataset = DATASET_OF[field.dataset];
    if (dataset === "interaction") return [];
    return operands.flatMap((one) => (one.kind === "text" ? [{ dataset, column: field.field, text: one.value }] : []));
  });
}
