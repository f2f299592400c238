import type { Kind } from "./resources.ts";
import type { ErrorCode } from "./service-error.ts";

/** How tests steer the stand-in. Operations are named as in the API, `CreateFilter`. */
export interface PersonalizeControl {
  /** Moves the clock forward and finishes all work that falls due, imports and trainings included. */
  advance(milliseconds: number): Promise<void>;
  /** Waits for the work that is under way, without moving the clock. */
  idle(): Promise<void>;
  /** Makes the next calls of an operation fail. */
  failNext(operation: string, failure?: Failure): void;
  /** Makes the next resource of a kind end in CREATE FAILED; for a campaign its update too. */
  failCreation(kind: Kind, reason: string): void;
  /** Makes each call of an operation, or of all, take so long. */
  latency(milliseconds: number, operation?: string): void;
  /** How often each operation was called since the start or the last reset, failed calls included. */
  counts(): Readonly<Record<string, number>>;
  /** Throws all resources, data, failures, latencies and counts away. */
  reset(): void;
}

export interface Failure {
  /** InternalServerException (a 500) by default. */
  code?: ErrorCode;
  message?: string;
  /** How many calls; one by default. */
  times?: number;
}

/** Failures and latencies that tests ordered, and the count of calls. */
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

  /** Counts a call; gives how long it takes, and its failure. */
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
