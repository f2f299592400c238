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

/** What a repeated call waits for: work of Personalize, or IAM, whose changes take a while to be in force everywhere. */
export type Wait = "work" | "permissions";

/** Returns what a repeated call waits for; undefined if an error would recur. */
export function waitOf(diagnostics: readonly Diagnostic[]): Wait | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0 || !errors.every((error) => isStillInProgress(error) || isDeniedToFunction(error))) return;
  return errors.some(isDeniedToFunction) ? "permissions" : "work";
}

const isStillInProgress = (error: Diagnostic) => functionErrorIn(error)?.type === STILL_IN_PROGRESS;

/** Whether a function that Terraform invoked lacks a permission. Not so the errors of Terraform's own calls. */
export function isDeniedToFunction(error: Diagnostic): boolean {
  const thrown = functionErrorIn(error);
  return thrown !== undefined && /AccessDenied|is not authorized to perform/.test(`${thrown.type} ${thrown.message}`);
}

/** Returns the role that an error of AWS names, or "a function's role". */
export function deniedRole(message: string): string {
  const role = /:assumed-role\/([^/\s]+)\//.exec(message)?.[1];
  return role === undefined ? "a function's role" : `the role ${role}`;
}
