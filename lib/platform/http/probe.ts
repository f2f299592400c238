import type { Context } from "aws-lambda";
import type { ProxyEvent, ProxyHandler, ProxyResult } from "./event.ts";

/** The event that `relevance deploy` sends to a function. No caller of the API can: API Gateway's events always have a method. */
export interface ProbeEvent {
  probe: true;
}

/** Targets of probes. */
export const PROBE_KINDS = ["model", "campaign", "document", "cluster"] as const;

/** How the call ended. `untrained`: there is no campaign yet. `unreachable`: the cluster does not answer. */
export const PROBE_STATES = ["works", "failed", "untrained", "unreachable"] as const;

/** The outcome of one call to a model, a campaign or the cluster, or of one read of a document. */
export interface Probe {
  kind: (typeof PROBE_KINDS)[number];
  name: string;
  state: (typeof PROBE_STATES)[number];
  /** Name and message of the error. */
  error?: { name: string; message: string };
}

/** Returns a handler that also answers probes, by the function that `load` loads. */
export function withProbes(handler: ProxyHandler, load: () => Promise<() => Promise<Probe[]>>) {
  return async (event: ProxyEvent | ProbeEvent, context: Context): Promise<ProxyResult | Probe[]> =>
    "probe" in event ? (await load())() : handler(event, context);
}

/** Returns the outcome of one call. The error is that of AWS: what this project adds says nothing new to the deployer. */
export async function probed(
  { kind, name }: Pick<Probe, "kind" | "name">,
  call: () => Promise<"untrained" | unknown>,
): Promise<Probe> {
  try {
    return { kind, name, state: (await call()) === "untrained" ? "untrained" : "works" };
  } catch (thrown) {
    const { cause } = thrown as Error;
    const error = cause instanceof Error ? cause : (thrown as Error);
    return { kind, name, state: "failed", error: { name: error.name, message: error.message } };
  }
}
