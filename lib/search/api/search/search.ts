import { HYBRID_DEFAULTS } from "../../../core/contract/search.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import { isHybrid } from "../../../core/json/template.ts";
import { parseLossless } from "../../../core/json/values.ts";
import { searchedIndexes } from "../../access/query.ts";
import { checkedParts, requireNoVariety, requireTemplate } from "../../access/templates.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { nativeSearch } from "../../page/answer.ts";
import { type Page, pageOf, type SearchPage } from "../../page/native-page.ts";
import { personalStage } from "../../page/personal.ts";
import { rulesStage } from "../../page/rules.ts";
import { searchedPage } from "../../page/run.ts";
import { stagesOf, type Wanted } from "../../page/stage.ts";
import { sharedVariety, varietyStage } from "../../page/variety.ts";
import type { Effects } from "../../rules/effects.ts";
import { changesQuery, withEffects, withText } from "../../rules/queries.ts";
import { resolveTarget } from "../../target/target.ts";
import { namedTemplate, type SearchBody } from "./named-template.ts";
import { searchReply, stopwatch } from "./reply.ts";
import type { AnySearchRequest } from "./request.ts";
import { ruledSearches, safeEffects, searchRules } from "./rules.ts";

/**
 * Answers `POST /application/search`: the native search, or the template that it names, its body unchanged unless the
 * hits are re-ranked for a user.
 */
export async function search(services: GatewayServices, call: JsonCall<AnySearchRequest>): Promise<Reply> {
  const { body, caller } = call;
  requireTemplate(caller, body.template, { user_query: body.user_query });
  requireNoVariety(caller, body.variety);
  const asked = bodyOf(services, call);
  const { parsed } = asked;
  const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
  const watch = stopwatch();
  const rules = await searchRules(services, { ...call, rule_set: body.rule_set });
  const facts = { text: body.user_query, index: body.index, template: body.template, params: body.params };
  const effects = rules.effectsOn({ ...facts, native: parsed, key: caller.name });
  const ruled = ruledSearches(effects);
  const full = ruledBody(services, call, asked, effects);
  const safe = () => ruledBody(services, call, asked, safeEffects(effects));

  const { timeout } = parsed;
  const send = (changes: Record<string, string | undefined>) =>
    ruled.send(full, safe, (native) => {
      const json = withMembers(native, changes);
      return watch.time("cluster", () => nativeSearch(services, call.deadline, index, json, { timeout }));
    });
  const searchPage: SearchPage = ({ from, size }, { aggregate }) =>
    send({
      from: String(from),
      size: String(size),
      ...(!aggregate && { aggs: undefined, aggregations: undefined }),
    });
  const page = pageOf(parsed);
  const wanted = [
    personalStage(services, body, parsed, page),
    await plainVariety(services, call, { index, native: parsed, page }),
    // The cluster has no page behind the end of a fused list, and pins ask for one.
    isHybrid(parsed) ? {} : rulesStage(services, { index, effects, native: parsed, body: () => asked.text, page }),
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
    degraded: [...rules.degraded, ...ruled.degraded(), ...found.degraded],
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

/** Returns the native body with what rules change in its query. */
function ruledBody(
  services: GatewayServices,
  call: JsonCall<AnySearchRequest>,
  asked: SearchBody,
  effects: Effects,
): string {
  const { text } = effects;
  const { user_query, template } = call.body;
  const native = text !== undefined && template != null ? bodyOf(services, call, text).text : asked.text;
  const from = template == null ? user_query : undefined;
  if (!changesQuery(effects) && (text === undefined || from == null)) return native;
  const slice = memberSlices(native).get("query");
  const own = slice ? parseLossless(native.slice(slice.start, slice.end)) : { match_all: {} };
  const query = text === undefined || from == null ? own : withText(own, from, text);
  return withMembers(native, { query: JSON.stringify(withEffects(query, effects)) });
}

/** Returns the stage of variety, which the entries of the searched indexes decide on, if any entry has it. */
async function plainVariety(
  services: GatewayServices,
  { body: { variety: own }, deadline }: JsonCall<AnySearchRequest>,
  { index, native, page }: { index: string; native: Record<string, unknown>; page: Page | undefined },
): Promise<Wanted> {
  if (!own && !services.settings.indexes.some(({ variety }) => variety)) return {};
  // The search itself reports what is wrong with its index.
  const indexes = await resolveTarget(services, index, deadline)
    .then((target) => target.indexes)
    .catch(() => []);
  const { candidates = HYBRID_DEFAULTS.candidates, embedding_mappings = [] } = indexes[0]?.entry ?? {};
  const entry = { candidates, embedding_mappings, ...sharedVariety(indexes) };
  return varietyStage(services, { index, own, entry, native, page });
}

/** Returns the smallest `max_result_window` of the indexes behind a name: the window cannot be larger. */
async function resultWindow({ catalog }: GatewayServices, index: string, { deadline }: JsonCall<AnySearchRequest>) {
  const indexes = await catalog.resolve(index, deadline);
  return Math.min(...indexes.map(({ maxResultWindow }) => maxResultWindow));
}
