import type { Deadline } from "../../../core/resilience/deadline.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { jsonOf, readCall } from "../../opensearch/calls.ts";
import { readAnswer, type SearchAnswer } from "./answer.ts";

/** Sends one native search. `query` is the query string. Throws the caller's error when the cluster refuses or fails. */
export async function nativeSearch(
  { cluster }: Pick<GatewayServices, "cluster">,
  deadline: Deadline,
  index: string,
  body: string,
  query?: string,
): Promise<SearchAnswer> {
  const answer = await readCall(
    cluster,
    {
      method: "POST",
      path: `/${encodeURIComponent(index)}/_search`,
      ...(query !== undefined && { query }),
      headers: { "content-type": "application/json" },
      body,
    },
    deadline,
  );
  if (answer.status >= 300) jsonOf(answer);
  return readAnswer(answer.body.toString("utf8"));
}
