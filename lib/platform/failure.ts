/** Wrong usage, exit code 2. The message says what was given, what is allowed and what to do. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A failed command, exit code 1. The message says what failed, with which value, and what to do. */
export class Failure extends Error {
  override name = "Failure";
}

type ErrorClass<Args extends unknown[]> = new (...args: Args) => Error;

/** Does work and throws its errors of one class as those of another, with the same message. */
export async function rethrown<T>(
  From: ErrorClass<never[]>,
  As: ErrorClass<[message: string, options: ErrorOptions]>,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof From ? new As(error.message, { cause: error }) : error;
  }
}
