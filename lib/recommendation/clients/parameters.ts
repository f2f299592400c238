import * as v from "valibot";
import { call, chunks } from "../../platform/aws/call.ts";
import { type AwsVariables, signedCall } from "../../platform/aws/signed-call.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";

/** Reads values from the parameter store. The result omits names without a value. */
export type ParameterReader = (names: readonly string[], deadline: Deadline) => Promise<ReadonlyMap<string, string>>;

/** The most names in one GetParameters call. Source: API reference. */
const MAX_NAMES = 10;

const Found = v.object({ Parameters: v.array(v.object({ Name: v.string(), Value: v.string() })) });

/** Implements ParameterReader with the parameter store. */
export function ssmParameters(timeoutMs: number, variables: () => AwsVariables): ParameterReader {
  return async (names, deadline) => {
    const answers = await Promise.all(
      chunks(names, MAX_NAMES).map((Names) => {
        const read = { service: "ssm", operation: "GetParameters", input: { Names } } as const;
        return call({ deadline, timeoutMs }, (signal) => signedCall(read, variables(), signal));
      }),
    );
    const found = answers.flatMap((answer) => v.parse(Found, answer).Parameters);
    return new Map(found.map(({ Name, Value }) => [Name, Value]));
  };
}

/** How long a value is cached. */
const KEPT_MS = 60_000;

/** How long a missing value is cached: shorter, so that requests soon see the value after the first training. */
const ABSENT_KEPT_MS = 5_000;

/** How long `reread` trusts a value that was read again and had not changed. */
const CONFIRMED_MS = 250;

/** Parameters that change while the function runs: active campaigns, current filters, the event tracker. */
export interface Pointers {
  /** Returns the values in the order of the names, undefined for missing ones. Throws if they cannot be read. */
  read(names: readonly string[], deadline: Deadline): Promise<(string | undefined)[]>;
  /** Does the same but bypasses the cache, for values that may be outdated. */
  reread(names: readonly string[], deadline: Deadline): Promise<(string | undefined)[]>;
}

interface CachedValue {
  value: string | undefined;
  /** When the value was last read again and had not changed. */
  confirmedAt: number;
  /** When the value expires. */
  until: number;
}

/**
 * Caches parameters for 60 seconds. Concurrent requests share one read. While the parameter store cannot be read, the
 * cached values stay in use.
 */
export function createPointers(read: ParameterReader, now: () => number = () => performance.now()): Pointers {
  const kept = new Map<string, CachedValue>();
  const reading = new Map<string, Promise<void>>();

  const load = async (names: readonly string[], deadline: Deadline) => {
    try {
      const values = await read(names, deadline);
      for (const name of names) {
        const value = values.get(name);
        const old = kept.get(name);
        kept.set(name, {
          value,
          confirmedAt: old && old.value === value ? now() : Number.NEGATIVE_INFINITY,
          until: now() + (value === undefined ? ABSENT_KEPT_MS : KEPT_MS),
        });
      }
    } catch (error) {
      if (names.some((name) => !kept.has(name))) throw error;
      for (const name of names) {
        const old = kept.get(name);
        if (old) kept.set(name, { ...old, until: now() + ABSENT_KEPT_MS });
      }
    }
  };

  const refresh = async (wanted: readonly string[], isOld: (entry: CachedValue) => boolean, deadline: Deadline) => {
    const old = wanted.filter((name) => {
      const entry = kept.get(name);
      return entry === undefined || isOld(entry);
    });
    const missing = old.filter((name) => !reading.has(name));
    if (missing.length > 0) {
      const loading = load(missing, deadline).finally(() => {
        for (const name of missing) reading.delete(name);
      });
      for (const name of missing) reading.set(name, loading);
    }
    await Promise.all(new Set(old.map((name) => reading.get(name))));
    return wanted.map((name) => kept.get(name)?.value);
  };

  return {
    read: (names, deadline) => refresh(names, ({ until }) => now() >= until, deadline),
    reread: (names, deadline) => refresh(names, ({ confirmedAt }) => now() - confirmedAt >= CONFIRMED_MS, deadline),
  };
}
