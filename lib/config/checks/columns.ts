import { REQUIRED_FIELDS } from "../../personalize/limits.ts";
import type { Dataset } from "../avro.ts";
import { nearest } from "../nearest.ts";
import { RECIPE_KINDS } from "../recipes.ts";
import { type Check, sound, uniqueBy } from "./drafts.ts";

const DATASET = { Item: "item", User: "user", Interaction: "interaction" } as const satisfies Record<string, Dataset>;

/** Checks that excluded columns exist in the dataset's schema, are not required, and are listed once. */
export const checkExcludedColumns: Check = (drafts, report) => {
  for (const kind of RECIPE_KINDS) {
    const settings = drafts.solution?.recipes?.[kind];
    const path = ["recipes", kind, "excluded_dataset_columns"];
    uniqueBy(
      settings?.excluded_dataset_columns,
      ({ name }) => name,
      (index, name, first) => {
        report(
          "solution",
          [...path, index, "name"],
          `"${name}" appears twice: join it with excluded_dataset_columns[${first}]`,
        );
      },
    );
    for (const [index, { name, value }] of sound(settings?.excluded_dataset_columns)) {
      if (name === undefined) continue;
      const fields = drafts[DATASET[name]]?.fields;
      const columns = fields && sound(fields).flatMap(([, field]) => field.name ?? []);
      for (const [place, column] of sound(value)) {
        const problem = (message: string) => report("solution", [...path, index, "value", place], message);
        if (Object.hasOwn(REQUIRED_FIELDS[DATASET[name]], column))
          problem(`"${column}" is required for training and cannot be excluded`);
        else if (name === "Interaction" && column === "EVENT_TYPE" && settings?.target_event_type !== undefined) {
          problem('"EVENT_TYPE" cannot be excluded: target_event_type needs it');
        } else if (
          name === "Interaction" &&
          column === "EVENT_VALUE" &&
          settings?.event_value_threshold !== undefined
        ) {
          problem('"EVENT_VALUE" cannot be excluded: event_value_threshold needs it');
        } else if (columns !== undefined && !columns.includes(column)) {
          const close = nearest(column, columns);
          const advice = close === undefined ? `it has ${columns.join(", ")}` : `did you mean "${close}"?`;
          problem(`"${column}" is not in the ${DATASET[name]} schema: ${advice}`);
        }
      }
    }
  }
};
