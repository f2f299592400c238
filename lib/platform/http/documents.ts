import * as v from "valibot";
import type { Stage } from "./degradation.ts";
import { ERROR_CODES } from "./error.ts";

/** A whole number. */
export const Integer = v.pipe(v.number(), v.integer());

/** One invalid place in a request. */
export const Issue = v.object({
  path: v.pipe(v.string(), v.description("Dotted path of the field, for example `bulk_request.3.id`.")),
  message: v.string(),
});

/** The kind of error, which determines the status. */
export const ErrorCode = v.picklist(ERROR_CODES);

/** The error in an answer. */
export const ErrorDetail = v.object({
  code: ErrorCode,
  message: v.string(),
  issues: v.optional(v.pipe(v.array(Issue), v.description("Every invalid field of the request."))),
  cause: v.optional(
    v.pipe(
      v.looseObject({}),
      v.description("What the upstream reported; for `forbidden`, the rule that refused the call."),
    ),
  ),
  request_id: v.pipe(v.string(), v.description("Identifies the request in the service's logs.")),
});

/** The body of every error answer. */
export const ErrorAnswer = v.object({ error: ErrorDetail });

/** The names of the schemas of error answers in the OpenAPI documents. */
export const errorSchemas = { ErrorAnswer, ErrorDetail, ErrorCode, Issue };

/** Returns the schema of one entry of `degraded`, with the stages that a service reports. */
export function degradation<const Stages extends readonly Stage[]>(stages: Stages) {
  return v.object({
    stage: v.picklist(stages),
    target: v.pipe(v.string(), v.description("The field, recipe or part of the answer that is affected.")),
    reason: v.string(),
    effect: v.pipe(v.string(), v.description("What is missing or different in this answer.")),
  });
}

/** Returns the schema of `degraded`. */
export const degradedList = <Schema extends v.GenericSchema>(entry: Schema) =>
  v.optional(
    v.pipe(
      v.array(entry),
      v.description("The parts that are missing from this answer; absent if nothing is degraded."),
    ),
  );
