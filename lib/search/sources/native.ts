import { HYBRID_DEFAULTS } from "../../platform/contract/search.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import { memberSlices, withMembers } from "../../platform/json/slices.ts";
import { isHybrid } from "../../platform/json/template.ts";
import { parseLossless } from "../../platform/json/values.ts";
import { searchedIndexes } from "../access/query.ts";
import { checkedParts, requirePageRequest } from "../access/templates.ts";
import type { GatewayServices } from "../gateway/services.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import { plainExpression } from "../resolve/expression.ts";
import { resolveTarget } from "../resolve/target.ts";
import { changesQuery } from "../rules/effects.ts";
import { nativeSearch } from "../run/answer.ts";
import { answered } from "../run/answered.ts";
import { attemptsOf } from "../run/attempts.ts";
import { namedTemplate, type SearchBody } from "../run/named-template.ts";
import { pageOf, type SearchPage } from "../run/native-page.ts";
import {
  personalizingStage,
  pinsStage,
  rerankingStage,
  rewrittenWithSynonyms,
  varyingStage,
} from "../run/rare-stages.ts";
import type { Searched, Stopwatch } from "../run/reply.ts";
import type { AnySearchRequest } from "../run/request.ts";
import { ruledSearches, searchRules } from "../run/rules.ts";
import { searchedPage } from "../run/searched-page.ts";
import { sharedStages } from "../run/shared-stages.ts";
import { stagesOf } from "../run/stage.ts";

/**
 * Answers `POST /application/search`: the native search, or the template that it names, its body unchanged unless the
 * hits are re-ranked for a user.
 */
export function search(services: GatewayServices, call: JsonCall<AnySearchRequest>): Promise<Reply> {
  return answered(services, call, (watch, replaced) => searched(services, call, watch, replaced));
}

/** Runs a search; `replaced` is searched for in place of its text. */
async function searched(
  services: GatewayServices,
  call: JsonCall<AnySearchRequest>,
  watch: Stopwatch,
  replaced?: string,
): Promise<Searched> {
  const { body, caller } = call;
  requirePageRequest(call);
  const asked = bodyOf(services, call);
  const { parsed } = asked;
  const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
  const rules = await searchRules(services, { ...call, rule_set: body.rule_set, index });
  const { user_query: typed, template, params, segments } = body;
  const facts = { text: typed, template, params, segments };
  const effects = rules.effectsOn({ ...facts, native: parsed, key: caller.name });
  const ruled = ruledSearches(effects);

  const { timeout } = parsed;
  const entry = await entryOf(services, call, index);
  const native = await wordedBody(services, call, asked, replaced ?? effects.text);
  if (replaced !== undefined) {
    // The text may stand where the body names an index.
    const worded = body.template == null ? { parsed: parseLossless(native) } : bodyOf(services, call, replaced);
    searchedIndexes(caller, body.index, ...checkedParts(caller, worded));
  }
  // Most searches meet no rule that changes their query.
  const withRules = changesQuery(effects) ? (await import("../rules/queries.ts")).withEffects : undefined;
  const query = entry.synonyms || withRules ? queryOf(native) : undefined;
  const { synonyms, locale } = body;
  const rewritten = await rewrittenWithSynonyms(services, { entry, synonyms, locale, deadline: call.deadline }, query);
  const attempt = attemptsOf({ effects, ruled, rewritten }, query, (own, changed) =>
    changed === query && !changesQuery(own)
      ? native
      : withMembers(native, {
          query: JSON.stringify(withRules ? withRules(changed ?? { match_all: {} }, own) : changed),
        }),
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
  const text = replaced ?? effects.text ?? body.user_query;
  const wanted = [
    await personalizingStage(services, body, parsed, page),
    await rerankingStage(services, { index, own: body.rerank, entry, query: text, native: parsed, page }),
    await varyingStage(services, { index, own: body.variety, entry, native: parsed, page }),
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

  return {
    endpoint: "search",
    index: plainExpression(body.index),
    echo: {
      index: JSON.stringify(body.index),
      ...(body.template != null && { template: JSON.stringify(body.template) }),
      search_request: asked.text,
      ...(body.user_query != null && { user_query: JSON.stringify(body.user_query) }),
      ...(body.no_hits != null && { no_hits: JSON.stringify(body.no_hits) }),
    },
    fields: body,
    userQuery: body.user_query ?? null,
    query: parsed,
    settings: null,
    ...found,
    rules: effects.applied,
    stages: [...rewritten.reports(), ...found.stages],
    degraded: [...rules.degraded, ...ruled.degraded(), ...rewritten.degraded(), ...found.degraded],
    milliseconds: {},
  };
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
async function wordedBody(
  services: GatewayServices,
  call: JsonCall<AnySearchRequest>,
  asked: SearchBody,
  text: string | undefined,
): Promise<string> {
  const { user_query: from, template } = call.body;
  if (text === undefined) return asked.text;
  if (template != null) return bodyOf(services, call, text).text;
  const query = queryOf(asked.text);
  if (from == null || query === undefined) return asked.text;
  const { withText } = await import("../rules/queries.ts");
  return withMembers(asked.text, { query: JSON.stringify(withText(query, from, text)) });
}

/** Returns the query of a native body; undefined if it has none. */
function queryOf(native: string): unknown {
  const slice = memberSlices(native).get("query");
  return slice && parseLossless(native.slice(slice.start, slice.end));
}

/** What the entries of the searched indexes say about the stages of a search. */
type Entry = Pick<IndexSettings, "candidates" | "embedding_mappings" | "variety" | "rerank" | "synonyms"> & {
  hasPipeline?: boolean;
};

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
