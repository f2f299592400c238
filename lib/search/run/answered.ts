import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import type { SearchLog } from "../gateway/tools.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import type { NoHitsRequest } from "./no-hits.ts";
import { type Searched, type Stopwatch, searchReply, stopwatch } from "./reply.ts";

/** Answers a request with its search. If there are no hits, may search again for a suggested text. */
export async function answered(
  tools: SearchLog & { settings: GatewaySettings; cluster: Cluster },
  call: JsonCall<NoHitsRequest>,
  search: (watch: Stopwatch, replaced?: string) => Promise<Searched>,
): Promise<Reply> {
  const watch = stopwatch();
  const first = await search(watch);
  const found = first.answer.total?.value === 0 ? await askedAgain() : first;
  return searchReply(tools, call, { ...found, milliseconds: watch.read() });

  async function askedAgain(): Promise<Searched> {
    const { withOtherText } = await import("./no-hits.ts");
    return withOtherText(tools, call, first, (text) => search(watch, text));
  }
}
