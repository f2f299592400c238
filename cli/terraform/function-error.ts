import * as v from "valibot";
import { parseJson } from "../../lib/core/json/values.ts";
import type { Diagnostic } from "./messages.ts";

/** What Lambda answers for a function that threw. */
const Thrown = v.object({ errorType: v.string(), errorMessage: v.string() });

/** What a function that Terraform invoked has thrown. */
export interface FunctionError {
  type: string;
  message: string;
}

/** The class of personalize-manager's error for a wait that outlived the invocation. */
const STILL_GOING_ON = "StillGoingOn";

/** The error of the function in a diagnostic of `aws_lambda_invocation`: the provider ends its own words with Lambda's answer. */
export function functionErrorIn({ summary, detail = "" }: Diagnostic): FunctionError | undefined {
  const text = `${summary}\n${detail}`;
  const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  const thrown = v.safeParse(Thrown, parseJson(json));
  return thrown.success ? { type: thrown.output.errorType, message: thrown.output.errorMessage } : undefined;
}

/** Whether all that has failed is work that goes on by itself: doing the same again joins it. */
export function isStillGoingOn(diagnostics: readonly Diagnostic[]): boolean {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return errors.length > 0 && errors.every((error) => functionErrorIn(error)?.type === STILL_GOING_ON);
}
