import { HYBRID_DEFAULTS } from "../../../core/contract/search.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import { isHybrid } from "../../../core/json/template.ts";
import { parseLossless } from "../../../core/json/values.ts";
import { searchedIndexes } from "../../access/query.ts";
import { checkedParts, requireNoStages, requireTemplate } from "../../access/templates.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import type { IndexSettings } from "../../gateway/settings.ts";
import { nativeSearch } from "../../page/answer.ts";
import { pageOf, type SearchPage } from "../../page/native-page.ts";
import { personalStage } from "../../page/personal.ts";
import { pinsStage, rerankingStage } from "../../page/rare-stages.ts";
import { searchedPage } from "../../page/run.ts";
import { stagesOf } from "../../page/stage.ts";
import { withSynonyms } from "../../page/synonyms.ts";
import { sharedStages, varietyStage } from "../../page/variety.ts";
import { changesQuery, withEffects, withText } from "../../rules/queries.ts";
import { resolveTarget } from "../../target/target.ts";
import { attemptsOf } from "./attempts.ts";
import { namedTemplate, type SearchBody } from "./named-template.ts";
import { searchReply, stopwatch } from "./reply.ts";
import type { AnySearchRequest } from "./request.ts";
import { ruledSearches, searchRules } from "./rules.ts";

/**
 * Answers `POST /application/search`: the native search, or the template that it names, its body unchanged unless the
 * hits are re-ranked for a user.
 */
export async function search(services: GatewayServices, call: JsonCall<AnySearchRequest>): Promise<Reply> {
  const { body, caller } = call;
  requireTemplate(caller, body.template, { user_query: body.user_query });
  requireNoStages(caller, body);
  const asked = bodyOf(services, call);
  const { parsed } = asked;
  const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
  const watch = stopwatch();
  const rules = await searchRules(services, { ...call, rule_set: body.rule_set });
  const facts = { text: body.user_query, index: body.index, template: body.template, params: body.params };
  const effects = rules.effectsOn({ ...facts, native: parsed, key: caller.name });
  const ruled = ruledSearches(effects);

  const { timeout } = parsed;
  const entry = await entryOf(services, call, index);
  const native = wordedBody(services, call, asked, effects.text);
  const query = entry.synonyms || changesQuery(effects) ? queryOf(native) : undefined;
  const { synonyms, locale } = body;
  const rewritten = await withSynonyms(services, { entry, synonyms, locale, deadline: call.deadline }, query);
  const attempt = attemptsOf({ effects, ruled, rewritten }, query, (own, changed) =>
    changed === query && !changesQuery(own)
      ? native
      : withMembers(native, { query: JSON.stringify(withEffects(changed ?? { match_all: {} }, own)) }),
  );
  const send = (changes: Record<string, string | undefined>) =>
    attempt((json) =>
      watch.time("cluster", () =>
        nativeSearch(services, call.deadline, index, withMembers(json, changes), { timeout }),
      ),
    );
  const searchPage: SearchPage = ({ from, size }, { aggregate }) =>
    send({
      from: String(from),
      size: String(size),
      ...(!aggregate && { aggs: undefined, aggregations: undefined }),
    });
  const page = pageOf(parsed);
  const text = effects.text ?? body.user_query;
  const wanted = [
    personalStage(services, body, parsed, page),
    await rerankingStage(services, { index, own: body.rerank, entry, query: text, native: parsed, page }),
    varietyStage(services, { index, own: body.variety, entry, native: parsed, page }),
    // The cluster has no page behind the end of a fused list, and pins ask for one.
    isHybrid(parsed) ? {} : await pinsStage(services, { index, effects, native: parsed, body: () => asked.text, page }),
  ];
  const found = await searchedPage({
    page,
    ...stagesOf(wanted),
    plain: () => send({}),
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
      search_request: asked.text,
      ...(body.user_query != null && { user_query: JSON.stringify(body.user_query) }),
    },
    fields: body,
    userQuery: body.user_query ?? null,
    query: parsed,
    settings: null,
    ...found,
    rules: effects.applied,
    stages: [...rewritten.reports(), ...found.stages],
    degraded: [...rules.degraded, ...ruled.degraded(), ...rewritten.degraded(), ...found.degraded],
    milliseconds: watch.read(),
  });
}

/** Returns the native body that a request has, or that its template becomes; `replaced` is searched for in place of its text. */
function bodyOf(
  { settings }: GatewayServices,
  { body, text }: JsonCall<AnySearchRequest>,
  replaced?: string,
): SearchBody {
  if (body.template != null) {
    const asked = {
      name: body.template,
      text: replaced,
      queryMember: "user_query",
      bodyMember: "search_request",
    } as const;
    return namedTemplate(settings, { ...asked, endpoint: "search" }, text);
  }
  const slice = memberSlices(text).get("search_request");
  return { text: text.slice(slice?.start, slice?.end), parsed: body.search_request };
}

/** Returns the native body in which the text of rules, if they have one, replaces that of the request. */
function wordedBody(
  services: GatewayServices,
  call: JsonCall<AnySearchRequest>,
  asked: SearchBody,
  text: string | undefined,
): string {
  const { user_query: from, template } = call.body;
  if (text === undefined) return asked.text;
  if (template != null) return bodyOf(services, call, text).text;
  const query = queryOf(asked.text);
  if (from == null || query === undefined) return asked.text;
  return withMembers(asked.text, { query: JSON.stringify(withText(query, from, text)) });
}

/** Returns the query of a native body; undefined if it has none. */
function queryOf(native: string): unknown {
  const slice = memberSlices(native).get("query");
  return slice && parseLossless(native.slice(slice.start, slice.end));
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

/** Returns the smallest `max_result_window` of the indexes behind a name: the window cannot be larger. */
async function resultWindow({ catalog }: GatewayServices, index: string, { deadline }: JsonCall<AnySearchRequest>) {
  const indexes = await catalog.resolve(index, deadline);
  return Math.min(...indexes.map(({ maxResultWindow }) => maxResultWindow));
}
