/** The errors that `report-error.ts` prints in a line; those of use cases outside the tool are the same. */
export { Failure, rethrown, UsageError } from "../lib/platform/failure.ts";
