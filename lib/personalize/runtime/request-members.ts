import * as v from "valibot";
import { RecordKey } from "../../platform/http/validate.ts";
import { MAX_CONTEXT, MAX_FILTER_VALUES } from "../limits.ts";

/** The values of a filter's placeholders in a request. */
export const FilterValues = v.pipe(
  v.record(RecordKey, v.string()),
  v.metadata({ maxProperties: MAX_FILTER_VALUES }),
  v.description(
    "Values of the filter's placeholders by name without the dollar sign: one value, or several joined by commas. Put a value that contains a comma in double quotes.",
  ),
);

/** The contextual metadata of a request. */
export const RequestContext = v.pipe(
  v.record(
    v.pipe(
      RecordKey,
      v.maxLength(MAX_CONTEXT.name, `has a name of more than ${MAX_CONTEXT.name} characters`),
      v.regex(/^\w+$/, "has a name with other characters than letters, digits and underscores"),
    ),
    v.pipe(v.string(), v.maxLength(MAX_CONTEXT.value, "must have at most 1,000 characters")),
  ),
  v.maxEntries(MAX_CONTEXT.entries, `must have at most ${MAX_CONTEXT.entries} entries`),
  v.description("Contextual metadata for Personalize, for example the device."),
);
