import * as v from "valibot";
import { list, section, text } from "./kinds.ts";

/** Longest filter expression that Personalize takes. */
const MAX_EXPRESSION = 2_500;

/** Filters that a dataset group may have. */
export const MAX_FILTERS = 10;

const Filter = section(
  {
    name: text(
      /^[A-Za-z0-9][\w-]{0,62}$/,
      "1 to 63 letters, digits, hyphens and underscores, starting with a letter or digit",
      "Name by which requests choose the filter.",
    ),
    expression: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(MAX_EXPRESSION),
      v.metadata({
        allowed: `a filter expression of 1 to ${MAX_EXPRESSION} characters`,
        description:
          "Personalize's filter language; a placeholder is written `$NAME`. A changed expression becomes a new filter that is switched to before the old one goes.",
      }),
    ),
  },
  "One filter.",
);

/** conf/filter.yaml */
export const FiltersSchema = section(
  { filters: list(Filter, "The filters; `[]` for none.", { max: MAX_FILTERS }) },
  "Filters that requests may name.",
);

/** conf/filter.yaml */
export type Filters = v.InferOutput<typeof FiltersSchema>;

/** One filter. */
export type Filter = Filters["filters"][number];
