import { isObject, parseJson } from "../../platform/json/values.ts";
import type { AskedTimes } from "../opensearch/time-limits.ts";

interface SearchCall {
  segments: readonly string[];
  parameters: ReadonlyArray<readonly [name: string, value: string]>;
  body: Buffer;
}

const TIMES = new Set(["timeout", "cancel_after_time_interval"]);

/** Returns the time limits of a search, and its other parameters. Undefined for calls without such parameters. */
export function searchTimes({ segments, parameters, body }: SearchCall) {
  const [name, ...before] = segments.toReversed();
  if (before.length > 1 || (name !== "_search" && name !== "_msearch")) return undefined;
  const given = (time: string) => parameters.findLast(([parameter]) => parameter === time)?.[1];
  const asked: AskedTimes = {
    timeout: name === "_msearch" ? null : (given("timeout") ?? timeoutOf(body)),
    cancelAfter: given("cancel_after_time_interval"),
  };
  return { asked, others: parameters.filter(([parameter]) => !TIMES.has(parameter)) };
}

function timeoutOf(body: Buffer): unknown {
  const search = body.includes('"timeout"') ? parseJson(body) : undefined;
  return isObject(search) ? search.timeout : undefined;
}
