import * as v from "valibot";
import { MODEL_NAMES, type ModelName } from "../../lib/config/embedding-models.ts";
import type { Control, ControlRequest, StandInAnswer } from "../cloud/stand-in.ts";
import { Fault, type ModelControl } from "./control.ts";

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
  const model = MODEL_NAMES.find((known) => known === name);
  if (!model) return json(404, { message: `${name} is not a model; there are ${MODEL_NAMES.join(", ")}` });
  const faults = parseFaults(body);
  if (typeof faults === "string") return json(400, { message: faults });
  control.setFaults(model, faults);
  return json(200, describe(control));
}

function describe(control: ModelControl): Record<string, unknown> {
  const one = (model: ModelName) => ({ ...control.counts(model), faults: control.faults(model) });
  return Object.fromEntries(MODEL_NAMES.map((model) => [model, one(model)]));
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
