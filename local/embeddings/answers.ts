import type { StandInAnswer } from "../cloud/stand-in.ts";
import type { Fault } from "./control.ts";

/** An answer, and whether it is the one that was asked for. */
export interface ModelAnswer extends StandInAnswer {
  ok: boolean;
}

/** An error as AWS services of the REST-JSON protocol give it. */
export function awsError(status: number, type: string, fields: Readonly<Record<string, unknown>>): ModelAnswer {
  return { ok: false, status, headers: { "x-amzn-errortype": type }, body: JSON.stringify(fields) };
}

/** The answer of a service that does not get as far as the model, if the fault is of that kind. */
export function serviceFault(fault: Fault | undefined, unavailable: string): ModelAnswer | undefined {
  if (fault?.kind === "throttle") return awsError(429, "ThrottlingException", { message: "Rate exceeded" });
  if (fault?.kind === "unavailable") return awsError(503, unavailable, { message: "Service is unavailable" });
  return undefined;
}

/**
 * Spoils the answer of a model as the fault says; true vectors otherwise. NaN becomes null, as servers that know no
 * NaN in JSON write it.
 */
export function spoiled(vectors: readonly unknown[], fault: Fault | undefined): readonly unknown[] {
  switch (fault?.kind) {
    case "nan":
      return vectors.map((vector, i) => (i === 0 ? spoilFirst(vector) : vector));
    case "dimension":
      return vectors.map(() => new Array<number>(fault.dimension).fill(1 / Math.sqrt(fault.dimension)));
    case "too_few":
      return vectors.slice(1);
    default:
      return vectors;
  }
}

function spoilFirst(vector: unknown): unknown {
  if (!Array.isArray(vector)) return vector;
  const [first, ...rest]: unknown[] = vector;
  return [typeof first === "number" ? null : { ...(first as object), value: null }, ...rest];
}
