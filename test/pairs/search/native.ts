import type { Cluster } from "../../fixtures/opensearch.ts";
import { pageOf } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";
import type { NativeRequest } from "./oracle.ts";

/** An answer as text. */
export interface Answered {
  status: number;
  text: string;
}

/** Sends a request to the cluster, or through the raw backend. */
export type Call = (method: string, path: string, body?: string) => Promise<Answered>;

/** Returns the calls of a cluster. */
export const callsOf =
  ({ url }: Cluster): Call =>
  async (method, path, body) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(new URL(path, url), { method, ...(body !== undefined && { headers, body }) });
    return { status: response.status, text: await response.text() };
  };

/** Returns a native request that asks for the page of a case alone. Others ask for the whole list. */
export function pageIn(row: SearchRow, native: NativeRequest): NativeRequest {
  const { from, size } = pageOf(row);
  return { ...native, body: { ...native.body, size, ...(from > 0 && { from }) } };
}

/** Sends a native request, in a point in time if the case has one. */
export async function askNative(call: Call, { page }: SearchRow, native: NativeRequest): Promise<Answered> {
  if (page !== "point-in-time") {
    return call("POST", `/${native.index}/_search?request_cache=false`, textOf(native.body, native));
  }
  const opened = await call("POST", `/${native.index}/_search/point_in_time?keep_alive=1m`);
  if (opened.status !== 200) return opened;
  const { pit_id: id } = JSON.parse(opened.text) as { pit_id: string };
  try {
    return await call("POST", "/_search", textOf({ ...native.body, pit: { id, keep_alive: "1m" } }, native));
  } finally {
    await call("DELETE", "/_search/point_in_time", JSON.stringify({ pit_id: [id] }));
  }
}

function textOf(body: object, { pipeline }: NativeRequest): string {
  const isPiped = Object.keys(pipeline).length > 0;
  const text = JSON.stringify({ ...body, ...(isPiped && { search_pipeline: pipeline }) });
  // The cluster fails on a weight of 1 where it expects 1.0.
  return text.replace('"weights":[1]', '"weights":[1.0]');
}
