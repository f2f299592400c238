import * as v from "valibot";
import { RecordKey } from "../../platform/http/validate.ts";
import { MAX_FILTER_VALUES } from "../limits.ts";

/** The values of a filter's placeholders in a request. */
export const FilterValues = v.pipe(
  v.record(RecordKey, v.string()),
  v.metadata({ maxProperties: MAX_FILTER_VALUES }),
  v.description(
    "Values of the filter's placeholders by name without the dollar sign: one value, or several joined by commas. Put a value that contains a comma in double quotes.",
  ),
);
