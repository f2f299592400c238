import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { jsonOf, readCall } from "../../opensearch/calls.ts";
import { readAnswer, type SearchAnswer } from "./answer.ts";
import { pageOf } from "./page.ts";
import { type PersonalizedAnswer, personalizationOf, personalizedPage, type SearchPage } from "./personalize.ts";
import { searchReply } from "./reply.ts";
import type { SearchRequest } from "./request.ts";
import { stopwatch } from "./stopwatch.ts";

/** POST /application/search: the native search, its body unchanged unless the hits are re-ranked for a user. */
export async function search(services: GatewayServices, call: JsonCall<SearchRequest>): Promise<Reply> {
  const { body, text } = call;
  const slice = memberSlices(text).get("search_request");
  const native = text.slice(slice?.start, slice?.end);
  const watch = stopwatch();

  const send = (json: string) => watch.time("cluster", () => nativeSearch(services, call, body.index, json));
  const page = pageOf(body.search_request);
  const how = personalizationOf(services, body, body.search_request, page);
  let found: PersonalizedAnswer;
  if (how === undefined || page === undefined || "reason" in how) {
    found = { answer: await send(native), personalized: false, degraded: how && "reason" in how ? [how] : [] };
  } else {
    const pageOfNative: SearchPage = ({ from, size }, { aggregate }) =>
      send(
        withMembers(native, {
          from: String(from),
          size: String(size),
          ...(!aggregate && { aggs: undefined, aggregations: undefined }),
        }),
      );
    const window = Math.min(how.window, await resultWindow(services, call, body.index));
    found = await personalizedPage(pageOfNative, page, { ...how, window }, services.ranker, call.deadline);
  }

  return searchReply(services, call, {
    endpoint: "search",
    index: body.index,
    echo: { index: JSON.stringify(body.index), search_request: native },
    fields: body,
    userQuery: null,
    query: body.search_request,
    settings: null,
    ...found,
    milliseconds: watch.read(),
  });
}

/** Sends one native search; throws what the caller is told when the cluster refuses or fails. */
export async function nativeSearch(
  services: Pick<GatewayServices, "cluster">,
  call: Pick<JsonCall<unknown>, "deadline">,
  index: string,
  json: string,
): Promise<SearchAnswer> {
  const answer = await readCall(
    services.cluster,
    {
      method: "POST",
      path: `/${encodeURIComponent(index)}/_search`,
      headers: { "content-type": "application/json" },
      body: json,
    },
    call.deadline,
  );
  if (answer.status >= 300) jsonOf(answer);
  return readAnswer(answer.body.toString("utf8"));
}

/** The smallest `max_result_window` of the indexes behind a name; a window cannot be larger. */
async function resultWindow(services: GatewayServices, call: JsonCall<unknown>, index: string): Promise<number> {
  const indexes = await services.catalog.resolve(index, call.deadline);
  return Math.min(...indexes.map(({ maxResultWindow }) => maxResultWindow));
}
