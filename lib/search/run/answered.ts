import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { GatewayServices } from "../gateway/services.ts";
import type { NoHitsRequest } from "./no-hits.ts";
import { type Searched, type Stopwatch, searchReply, stopwatch } from "./reply.ts";

/** Answers a request with its search. If there are no hits, may search again for a suggested text. */
export async function answered(
  services: GatewayServices,
  call: JsonCall<NoHitsRequest>,
  search: (watch: Stopwatch, replaced?: string) => Promise<Searched>,
): Promise<Reply> {
  const watch = stopwatch();
  const first = await search(watch);
  const found = first.answer.total?.value === 0 ? await askedAgain(first) : first;
  return searchReply(services, call, { ...found, milliseconds: watch.read() });

  async function askedAgain(first: Searched): Promise<Searched> {
    const { withOtherText } = await import("./no-hits.ts");
    return withOtherText(services, call, first, (text) => search(watch, text));
  }
}
