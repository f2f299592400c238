import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import { searchedIndexes } from "../../access/query.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { nativeSearch } from "./answer.ts";
import { personalizationOf, personalizedPage, plainPage, type SearchPage } from "./personalize.ts";
import { searchReply, stopwatch } from "./reply.ts";
import { pageOf, type SearchRequest } from "./request.ts";

/** Answers `POST /application/search`: the native search, its body unchanged unless the hits are re-ranked for a user. */
export async function search(services: GatewayServices, call: JsonCall<SearchRequest>): Promise<Reply> {
  const { body, text, caller } = call;
  const index = searchedIndexes(caller, body.index, body.search_request);
  const slice = memberSlices(text).get("search_request");
  const native = text.slice(slice?.start, slice?.end);
  const watch = stopwatch();

  const { timeout } = body.search_request;
  const send = (json: string) =>
    watch.time("cluster", () => nativeSearch(services, call.deadline, index, json, { timeout }));
  const searchPage: SearchPage = ({ from, size }, { aggregate }) =>
    send(
      withMembers(native, {
        from: String(from),
        size: String(size),
        ...(!aggregate && { aggs: undefined, aggregations: undefined }),
      }),
    );
  const how = personalizationOf(services, body, body.search_request, pageOf(body.search_request));
  const found =
    how.kind === "on"
      ? await personalizedPage(
          how,
          await resultWindow(services, index, call),
          searchPage,
          services.ranker,
          call.deadline,
        )
      : await plainPage(how, () => send(native));

  return searchReply(services, call, {
    endpoint: "search",
    index: body.index,
    echo: {
      index: JSON.stringify(body.index),
      search_request: native,
      ...(body.user_query != null && { user_query: JSON.stringify(body.user_query) }),
    },
    fields: body,
    userQuery: body.user_query ?? null,
    query: body.search_request,
    settings: null,
    ...found,
    milliseconds: watch.read(),
  });
}

/** Returns the smallest `max_result_window` of the indexes behind a name: the window cannot be larger. */
async function resultWindow({ catalog }: GatewayServices, index: string, { deadline }: JsonCall<SearchRequest>) {
  const indexes = await catalog.resolve(index, deadline);
  return Math.min(...indexes.map(({ maxResultWindow }) => maxResultWindow));
}
