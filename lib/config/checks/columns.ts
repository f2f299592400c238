import { REQUIRED_FIELDS } from "../../personalize/limits.ts";
import type { Dataset } from "../avro.ts";
import { nearest } from "../nearest.ts";
import { RECIPE_KINDS } from "../recipes.ts";
import { type Check, noneTwice, sound } from "./drafts.ts";

const DATASET = { Item: "item", User: "user", Interaction: "interaction" } as const satisfies Record<string, Dataset>;

/** Settings that need a column of interactions. */
const NEEDED_BY: Readonly<Record<string, "target_event_type" | "event_value_threshold">> = {
  EVENT_TYPE: "target_event_type",
  EVENT_VALUE: "event_value_threshold",
};

/** Checks that excluded columns exist in the dataset's schema, are not required, and are listed once. */
export const checkExcludedColumns: Check = (drafts, report) => {
  for (const kind of RECIPE_KINDS) {
    const settings = drafts.solution?.recipes?.[kind];
    const path = ["recipes", kind, "excluded_dataset_columns"];
    const join = (first: number) => `: join it with excluded_dataset_columns[${first}]`;
    noneTwice(report, "solution", path, settings?.excluded_dataset_columns, "name", join);
    for (const [index, { name, value }] of sound(settings?.excluded_dataset_columns)) {
      if (name === undefined) continue;
      const fields = drafts[DATASET[name]]?.fields;
      const columns = fields && sound(fields).flatMap(([, field]) => field.name ?? []);
      for (const [place, column] of sound(value)) {
        const problem = (message: string) => report("solution", [...path, index, "value", place], message);
        const user = name === "Interaction" ? NEEDED_BY[column] : undefined;
        if (Object.hasOwn(REQUIRED_FIELDS[DATASET[name]], column)) {
          problem(`"${column}" is required for training and cannot be excluded`);
        } else if (user && settings?.[user] !== undefined) {
          problem(`"${column}" cannot be excluded: ${user} needs it`);
        } else if (columns !== undefined && !columns.includes(column)) {
          const close = nearest(column, columns);
          const advice = close === undefined ? `it has ${columns.join(", ")}` : `did you mean "${close}"?`;
          problem(`"${column}" is not in the ${DATASET[name]} schema: ${advice}`);
        }
      }
    }
  }
};
