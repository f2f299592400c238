import { isObject, parseJson } from "../../lib/core/json/values.ts";

/** Returns the message of the function that failed, which Step Functions wraps into JSON. */
export function reasonOf({ error, cause }: { error?: string | undefined; cause?: string | undefined }): string {
  const message = messageIn(cause);
  return message ?? ([error, cause].filter((part) => part).join(": ") || "no reason given");
}

function messageIn(cause: string | undefined): string | undefined {
  const told = parseJson(cause ?? "");
  return isObject(told) && typeof told.errorMessage === "string" ? told.errorMessage : undefined;
}
