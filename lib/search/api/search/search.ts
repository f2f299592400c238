import { HYBRID_DEFAULTS } from "../../../core/contract/search.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import { parseLossless } from "../../../core/json/values.ts";
import { searchedIndexes } from "../../access/query.ts";
import { checkedParts, requireNoStages, requireTemplate } from "../../access/templates.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import type { IndexSettings } from "../../gateway/settings.ts";
import { nativeSearch, type SearchAnswer } from "../../page/answer.ts";
import { pageOf, type SearchPage } from "../../page/native-page.ts";
import { personalStage } from "../../page/personal.ts";
import { rerankStage } from "../../page/rerank.ts";
import { searchedPage } from "../../page/run.ts";
import { stagesOf } from "../../page/stage.ts";
import { withSynonyms } from "../../page/synonyms.ts";
import { sharedStages, varietyStage } from "../../page/variety.ts";
import { resolveTarget } from "../../target/target.ts";
import { namedTemplate, type SearchBody } from "./named-template.ts";
import { searchReply, stopwatch } from "./reply.ts";
import type { AnySearchRequest } from "./request.ts";

/**
 * Answers `POST /application/search`: the native search, or the template that it names, its body unchanged unless the
 * hits are re-ranked for a user.
 */
export async function search(services: GatewayServices, call: JsonCall<AnySearchRequest>): Promise<Reply> {
  const { body, caller } = call;
  requireTemplate(caller, body.template, { user_query: body.user_query });
  requireNoStages(caller, body);
  const asked = bodyOf(services, call);
  const { text: native, parsed } = asked;
  const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
  const watch = stopwatch();

  const { timeout } = parsed;
  const send = (json: string) =>
    watch.time("cluster", () => nativeSearch(services, call.deadline, index, json, { timeout }));
  const entry = await entryOf(services, call, index);
  const rewritten = await rewrittenBody(services, call, entry, native);
  const searchPage: SearchPage = ({ from, size }, { aggregate }) =>
    rewritten.attempt((json) =>
      send(
        withMembers(json, {
          from: String(from),
          size: String(size),
          ...(!aggregate && { aggs: undefined, aggregations: undefined }),
        }),
      ),
    );
  const page = pageOf(parsed);
  const wanted = [
    personalStage(services, body, parsed, page),
    rerankStage(services, { index, own: body.rerank, entry, query: body.user_query, native: parsed, page }),
    varietyStage(services, { index, own: body.variety, entry, native: parsed, page }),
  ];
  const found = await searchedPage({
    page,
    ...stagesOf(wanted),
    plain: () => rewritten.attempt(send),
    searchPage,
    maxResultWindow: () => resultWindow(services, index, call),
    deadline: call.deadline,
  });

  return searchReply(services, call, {
    endpoint: "search",
    index: body.index,
    echo: {
      index: JSON.stringify(body.index),
      ...(body.template != null && { template: JSON.stringify(body.template) }),
      search_request: native,
      ...(body.user_query != null && { user_query: JSON.stringify(body.user_query) }),
    },
    fields: body,
    userQuery: body.user_query ?? null,
    query: parsed,
    settings: null,
    ...found,
    stages: [...rewritten.reports(), ...found.stages],
    degraded: [...rewritten.degraded(), ...found.degraded],
    milliseconds: watch.read(),
  });
}

/** Returns the native body that a request has, or that its template becomes. */
function bodyOf({ settings }: GatewayServices, { body, text }: JsonCall<AnySearchRequest>): SearchBody {
  if (body.template != null) {
    const asked = { name: body.template, queryMember: "user_query", bodyMember: "search_request" } as const;
    return namedTemplate(settings, { ...asked, endpoint: "search" }, text);
  }
  const slice = memberSlices(text).get("search_request");
  return { text: text.slice(slice?.start, slice?.end), parsed: body.search_request };
}

/** What the entries of the searched indexes say about the stages of a search. */
type Entry = Pick<IndexSettings, "candidates" | "embedding_mappings" | "variety" | "rerank" | "synonyms">;

/** Returns what the entries of the searched indexes decide on, if the request or any entry has a stage that needs it. */
async function entryOf(
  services: GatewayServices,
  { body, deadline }: JsonCall<AnySearchRequest>,
  index: string,
): Promise<Entry> {
  const none = { candidates: HYBRID_DEFAULTS.candidates, embedding_mappings: [] };
  const isAsked = body.variety != null || body.rerank != null;
  if (!isAsked && !services.settings.indexes.some(({ variety, rerank, synonyms }) => variety ?? rerank ?? synonyms))
    return none;
  // The search itself reports what is wrong with its index.
  const indexes = await resolveTarget(services, index, deadline)
    .then((target) => target.indexes)
    .catch(() => []);
  const { candidates, embedding_mappings } = indexes[0]?.entry ?? none;
  return { candidates, embedding_mappings, ...sharedStages(indexes) };
}

/** Rewrites the query of a native body with synonyms. */
async function rewrittenBody(
  services: GatewayServices,
  { body: { synonyms, locale }, deadline }: JsonCall<AnySearchRequest>,
  entry: Entry,
  native: string,
) {
  const query = entry.synonyms && (parseLossless(native) as { query?: unknown }).query;
  const found = await withSynonyms(services, { entry, synonyms, locale, deadline }, query);
  const isSame = found.query === query;
  const rewritten = isSame ? native : withMembers(native, { query: JSON.stringify(found.query) });
  return {
    ...found,
    attempt: (send: (body: string) => Promise<SearchAnswer>) => found.attempt({ rewritten, original: native }, send),
  };
}

/** Returns the smallest `max_result_window` of the indexes behind a name: the window cannot be larger. */
async function resultWindow({ catalog }: GatewayServices, index: string, { deadline }: JsonCall<AnySearchRequest>) {
  const indexes = await catalog.resolve(index, deadline);
  return Math.min(...indexes.map(({ maxResultWindow }) => maxResultWindow));
}
