/** Wrong usage, exit code 2. The message says what was given, what is allowed and what to do. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A failed command, exit code 1. The message says what failed, with which value, and what to do. */
export class Failure extends Error {
  override name = "Failure";
}
