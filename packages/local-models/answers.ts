import type { StandInAnswer } from "@relevance/local-aws/cloud/stand-in.ts";
import type { Fault } from "./control.ts";

/** A response. `ok` means that it succeeded without an injected fault. */
export interface ModelAnswer extends StandInAnswer {
  ok: boolean;
}

/** Creates an error response in the format of AWS's REST-JSON protocol. */
export function awsError(status: number, type: string, fields: Readonly<Record<string, unknown>>): ModelAnswer {
  return { ok: false, status, headers: { "x-amzn-errortype": type }, body: JSON.stringify(fields) };
}

/** Returns the service's error if the fault is one that never reaches the model. */
export function serviceFault(fault: Fault | undefined, unavailable: string): ModelAnswer | undefined {
  if (fault?.kind === "throttle") return awsError(429, "ThrottlingException", { message: "Rate exceeded" });
  if (fault?.kind === "unavailable") return awsError(503, unavailable, { message: "Service is unavailable" });
  return undefined;
}

/**
 * Corrupts a model's vectors according to the fault. Returns them unchanged without one. NaN becomes null, as from
 * servers that cannot write NaN in JSON.
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
