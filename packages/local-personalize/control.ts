import type { Kind } from "./resources.ts";
import type { ErrorCode } from "./service-error.ts";

/** Lets tests control the stand-in. Operations have their API names, such as `CreateFilter`. */
export interface PersonalizeControl {
  /** Moves the clock forward and completes all work that is then due, including imports and trainings. */
  advance(milliseconds: number): Promise<void>;
  /** Makes the next calls of an operation fail. */
  failNext(operation: string, failure?: Failure): void;
  /** Makes the next resource of a kind end in CREATE FAILED. This also applies to updates. */
  failCreation(kind: Kind, reason: string): void;
  /** Delays every call of an operation, or of all operations, by this many milliseconds. */
  latency(milliseconds: number, operation?: string): void;
  /** Returns how often each operation was called since the start or the last reset, including failed calls. */
  counts(): Readonly<Record<string, number>>;
  /** Deletes all resources, data, failures, latencies and counts. */
  reset(): void;
}

export interface Failure {
  /** Default: InternalServerException (a 500). */
  code?: ErrorCode;
  message?: string;
  /** How many calls fail. Default: 1. */
  times?: number;
}

/** The failures and latencies that tests have set, and the call counts. */
export class Orders {
  #failures = new Map<string, Required<Failure>[]>();
  #latencies = new Map<string, number>();
  #counts = new Map<string, number>();

  fail(
    operation: string,
    { code = "InternalServerException", message = "ordered by a test", times = 1 }: Failure = {},
  ): void {
    this.#failures.set(operation, [...(this.#failures.get(operation) ?? []), { code, message, times }]);
  }

  delay(milliseconds: number, operation = "*"): void {
    this.#latencies.set(operation, milliseconds);
  }

  /** Counts a call and returns its latency and its failure, if any. */
  take(operation: string): { latency: number; failure: Required<Failure> | undefined } {
    this.#counts.set(operation, (this.#counts.get(operation) ?? 0) + 1);
    const latency = this.#latencies.get(operation) ?? this.#latencies.get("*") ?? 0;
    const [failure, ...rest] = this.#failures.get(operation) ?? [];
    if (failure) {
      failure.times -= 1;
      if (failure.times === 0) this.#failures.set(operation, rest);
    }
    return { latency, failure };
  }

  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  clear(): void {
    this.#failures.clear();
    this.#latencies.clear();
    this.#counts.clear();
  }
}
