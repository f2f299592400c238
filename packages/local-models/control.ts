import { setTimeout as sleep } from "node:timers/promises";
import { MODEL_NAMES } from "@relevance/lib/settings/embedding-models.ts";
import { RERANKER } from "@relevance/lib/settings/rerank-models.ts";
import type { Control, ControlRequest, StandInAnswer } from "@relevance/local-aws/cloud/stand-in.ts";
import * as v from "valibot";

const Count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)));

/** Selects the calls that a fault applies to. All given conditions must hold. Without any, it applies to all calls. */
const condition = {
  /** Every n-th call since the fault was set. */
  every: Count,
  /** The first n calls since the fault was set. */
  first: Count,
  /** Calls in which a text contains this. */
  containing: v.optional(v.string()),
};
const within = (low: number, high: number) => v.pipe(v.number(), v.minValue(low), v.maxValue(high));

/** A fault to inject into a stand-in model. */
export const Fault = v.variant("kind", [
  v.strictObject({ ...condition, kind: v.literal("throttle") }),
  v.strictObject({ ...condition, kind: v.literal("unavailable") }),
  // The model's own status: SageMaker wraps it as ModelError, Bedrock has an exception for it.
  v.strictObject({ ...condition, kind: v.literal("status"), status: v.pipe(within(400, 599), v.integer()) }),
  v.strictObject({ ...condition, kind: v.literal("delay"), ms: within(0, 60_000) }),
  // Responds only when the faults are cleared.
  v.strictObject({ ...condition, kind: v.literal("hang") }),
  v.strictObject({ ...condition, kind: v.literal("nan") }),
  v.strictObject({ ...condition, kind: v.literal("not_json") }),
  v.strictObject({ ...condition, kind: v.literal("dimension"), dimension: v.pipe(within(1, 16_384), v.integer()) }),
  v.strictObject({ ...condition, kind: v.literal("too_few") }),
  // Of a reranker: the score of a text that was not sent.
  v.strictObject({ ...condition, kind: v.literal("unknown_index") }),
]);
export type Fault = v.InferOutput<typeof Fault>;

/** The models that have stand-ins: those that embed, and all rerankers as one. */
const STAND_INS = [...MODEL_NAMES, RERANKER] as const;
export type StandInModel = (typeof STAND_INS)[number];

/** One successful call. */
interface ServedCall {
  texts: readonly string[];
  /** Cohere's `input_type`. */
  inputType?: string;
}

interface ModelCounts {
  calls: number;
  succeeded: number;
  /** The highest number of concurrent calls so far. */
  peak: number;
}

/** Number of calls to remember per model: enough for tests, and little memory for a stack that runs for days. */
const REMEMBERED_CALLS = 1_000;

interface State extends ModelCounts {
  running: number;
  served: ServedCall[];
  faults: { fault: Fault; seen: number }[];
  held: (() => void)[];
}

/** Injects faults into the stand-in models and reports their calls. */
export interface ModelControl {
  /** Replaces the faults of a model and releases hanging calls. An empty list removes all faults. */
  setFaults(model: StandInModel, faults: readonly Fault[]): void;
  faults(model: StandInModel): Fault[];
  counts(model: StandInModel): ModelCounts;
  /** The successful calls, oldest first. */
  served(model: StandInModel): readonly ServedCall[];
  /** Removes all faults and forgets all calls. */
  reset(): void;
}

/** The side of the control that the models use. */
interface ModelObserver {
  /** Counts a call, waits for its delays, and runs it with the fault that applies. */
  observe<T extends { ok: boolean }>(
    model: StandInModel,
    call: ServedCall,
    run: (fault: Fault | undefined) => Promise<T>,
  ): Promise<T>;
}

/** Creates a control for all models, without faults. */
export function createModelControl(): ModelControl & ModelObserver {
  const fresh = (): State => ({ calls: 0, succeeded: 0, peak: 0, running: 0, served: [], faults: [], held: [] });
  const states = new Map<StandInModel, State>(STAND_INS.map((model) => [model, fresh()]));
  const state = (model: StandInModel) => {
    const found = states.get(model);
    if (!found) throw new Error(`${model} is not a model; there are ${STAND_INS.join(", ")}`);
    return found;
  };
  const release = (one: State) => {
    for (const go of one.held.splice(0)) go();
  };

  /** Returns the faults that apply to this call. Every fault counts the call, even if another one applies. */
  const met = (one: State, { texts }: ServedCall): Fault[] =>
    one.faults
      .filter((entry) => {
        entry.seen += 1;
        const { every, first, containing } = entry.fault;
        if (every !== undefined && entry.seen % every !== 0) return false;
        if (first !== undefined && entry.seen > first) return false;
        return containing === undefined || texts.some((text) => text.includes(containing));
      })
      .map(({ fault }) => fault);

  return {
    setFaults(model, faults) {
      const one = state(model);
      one.faults = faults.map((fault) => ({ fault, seen: 0 }));
      release(one);
    },
    faults: (model) => state(model).faults.map(({ fault }) => fault),
    counts: (model) => {
      const { calls, succeeded, peak } = state(model);
      return { calls, succeeded, peak };
    },
    served: (model) => state(model).served,
    reset() {
      for (const [model, one] of states) {
        release(one);
        states.set(model, fresh());
      }
    },
    async observe(model, call, run) {
      const one = state(model);
      one.calls += 1;
      one.running += 1;
      one.peak = Math.max(one.peak, one.running);
      try {
        const faults = met(one, call);
        for (const fault of faults) {
          if (fault.kind === "delay") await sleep(fault.ms);
          if (fault.kind === "hang") await new Promise<void>((go) => one.held.push(go));
        }
        const answer = await run(faults.find(({ kind }) => kind !== "delay" && kind !== "hang"));
        if (answer.ok) {
          one.succeeded += 1;
          one.served.push(call);
          if (one.served.length > REMEMBERED_CALLS) one.served.shift();
        }
        return answer;
      } finally {
        one.running -= 1;
      }
    },
  };
}

const PATH = "/_models";

/**
 * Creates an HTTP control for the models. `GET /_models` returns the counts and faults of each model,
 * `PUT /_models/<model>/faults` sets a JSON list of faults, and `DELETE /_models` removes all faults and counts.
 */
export function modelControlOverHttp(control: ModelControl): Control {
  return { path: PATH, handle: (request) => answer(control, request) };
}

function answer(control: ModelControl, { method, path, body }: ControlRequest): StandInAnswer {
  if (path === PATH && method === "GET") return json(200, describe(control));
  if (path === PATH && method === "DELETE") {
    control.reset();
    return json(200, describe(control));
  }
  const [, name] = /^\/_models\/([^/]+)\/faults$/.exec(path) ?? [];
  if (name === undefined || method !== "PUT") {
    return json(404, { message: "there are GET and DELETE /_models, and PUT /_models/<model>/faults" });
  }
  const model = STAND_INS.find((known) => known === name);
  if (!model) return json(404, { message: `${name} is not a model; there are ${STAND_INS.join(", ")}` });
  const faults = parseFaults(body);
  if (typeof faults === "string") return json(400, { message: faults });
  control.setFaults(model, faults);
  return json(200, describe(control));
}

function describe(control: ModelControl): Record<string, unknown> {
  const one = (model: StandInModel) => ({ ...control.counts(model), faults: control.faults(model) });
  return Object.fromEntries(STAND_INS.map((model) => [model, one(model)]));
}

/** Returns the faults, or the problem with them. */
function parseFaults(body: Buffer): Fault[] | string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    return "the body is not JSON";
  }
  const result = v.safeParse(v.array(Fault), value);
  return result.success ? result.output : v.summarize(result.issues);
}

const json = (status: number, value: unknown): StandInAnswer => ({ status, body: JSON.stringify(value) });
