import * as v from "valibot";
import { parseJson } from "../../lib/core/json/values.ts";
import type { Diagnostic } from "./messages.ts";

/** Lambda's answer for a function that threw. */
const Thrown = v.object({ errorType: v.string(), errorMessage: v.string() });

/** The error of a function that Terraform invoked. */
export interface FunctionError {
  type: string;
  message: string;
}

/** The error class of personalize-manager for work that takes longer than its invocation. */
const STILL_IN_PROGRESS = "StillInProgress";

/** Extracts the function's error from a diagnostic of `aws_lambda_invocation`, which ends with Lambda's answer. */
export function functionErrorIn({ summary, detail = "" }: Diagnostic): FunctionError | undefined {
  const text = `${summary}\n${detail}`;
  const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  const thrown = v.safeParse(Thrown, parseJson(json));
  return thrown.success ? { type: thrown.output.errorType, message: thrown.output.errorMessage } : undefined;
}

/** Returns whether every error only means that work is still in progress. A repeated call resumes the wait. */
export function isStillInProgress(diagnostics: readonly Diagnostic[]): boolean {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return errors.length > 0 && errors.every((error) => functionErrorIn(error)?.type === STILL_IN_PROGRESS);
}
