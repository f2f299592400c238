import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import { fileProblem } from "@relevance/lib/platform/system-error.ts";
import { ConfigurationError } from "@relevance/lib/settings/problem.ts";

/** An error that the page shows where it happened. */
export class ConsoleError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

/** Returns what the page shows of an error that people can mend; undefined for any other. */
export function explainedError(error: unknown): ConsoleError | undefined {
  if (error instanceof ConsoleError) return error;
  const isExplained = [Failure, UsageError, ConfigurationError].some((Kind) => error instanceof Kind);
  const message = isExplained ? (error as Error).message : fileProblem(error)?.message;
  return message === undefined ? undefined : new ConsoleError(422, "failed", message, { cause: error });
}

/** Returns what reading a file of a list gives; nothing if the file is not one of them, so that it spoils no other. */
export function fitting<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch (error) {
    if (error instanceof ConsoleError || error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Returns the body of an error, in the shape of the gateway's own. */
export const errorBody = (code: string, message: string) => JSON.stringify({ error: { code, message } });
