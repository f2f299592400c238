import * as v from "valibot";
import { FILTER_LIMITS, NAME_PATTERN } from "../personalize/limits.ts";
import { list, section, text } from "./kinds.ts";

const Filter = section(
  {
    name: text(
      NAME_PATTERN,
      "1 to 63 letters, digits, hyphens and underscores, starting with a letter or digit",
      "Name by which requests choose the filter.",
    ),
    expression: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(FILTER_LIMITS.expressionCharacters),
      v.metadata({
        allowed: `a filter expression of 1 to ${FILTER_LIMITS.expressionCharacters} characters`,
        description:
          "Personalize's filter language; a placeholder is written `$NAME`. If an expression changes, deploy creates a new filter and switches to it before it deletes the old one.",
      }),
    ),
  },
  "One filter.",
);

/** conf/filter.yaml */
export const FiltersSchema = section(
  {
    filters: list(
      Filter,
      "The filters; `[]` for none. The account's quota of filters in a dataset group limits their number: 30 if Amazon has not raised it.",
    ),
  },
  "Filters that requests may name.",
);

/** conf/filter.yaml */
export type Filters = v.InferOutput<typeof FiltersSchema>;

export type Filter = Filters["filters"][number];
