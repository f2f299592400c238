import * as v from "valibot";
import { RecordKey } from "../../platform/http/validate.ts";
import { MAX_CONTEXT } from "../limits.ts";

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
