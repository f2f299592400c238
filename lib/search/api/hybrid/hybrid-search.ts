import { INTERLEAVED } from "../../../core/contract/search.ts";
import { ApiError } from "../../../core/http/error.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import { searchedIndexes } from "../../access/query.ts";
import { checkedParts, requireNoStages, requireTemplate } from "../../access/templates.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { nativeSearch, type SearchAnswer, withHits } from "../../page/answer.ts";
import { interleaveStage } from "../../page/interleave.ts";
import type { Page, SearchPage } from "../../page/native-page.ts";
import { personalStage } from "../../page/personal.ts";
import { pinsStage, rerankingStage, rewrittenWithSynonyms, varyingStage } from "../../page/rare-stages.ts";
import type { Rewritten } from "../../page/rewritten.ts";
import { type Found, searchedPage } from "../../page/run.ts";
import { stagesOf } from "../../page/stage.ts";
import { type Effects, NO_EFFECTS } from "../../rules/effects.ts";
import { withText } from "../../rules/queries.ts";
import { answered } from "../search/answered.ts";
import { attemptsOf } from "../search/attempts.ts";
import type { Searched, Stopwatch } from "../search/reply.ts";
import { ruledSearches, searchRules } from "../search/rules.ts";
import { highlighted } from "./best-passages.ts";
import { depthDegradation, versionDegradations } from "./degraded.ts";
import { type Assigned, assignedVariant, canInterleave, canServe } from "./experiment.ts";
import { type BodyWith, nativeOf, type Plan, type Prepared, planned } from "./plan.ts";
import type { HybridRequest } from "./request.ts";
import { hybridTarget } from "./target.ts";
import { readTemplate, templateOf } from "./template.ts";

/**
 * The shard's request cache keeps results of `size: 0`. It drops what neural-search adds to them, so that every repeat
 * of a hybrid search on an index of one shard fails (illegal_state_exception, seen on 2.19.6 and 3.6.0).
 */
const QUERY_STRING = "request_cache=false";

/** Answers `POST /application/hybrid-search`: embeds the query text, fuses the subqueries, ranks for the user. */
export function hybridSearch(services: GatewayServices, call: JsonCall<HybridRequest>): Promise<Reply> {
  return answered(services, call, (watch, replaced) => searched(services, call, watch, replaced));
}

/** Runs a search; `replaced` is searched for in place of its text. */
async function searched(
  services: GatewayServices,
  call: JsonCall<HybridRequest>,
  watch: Stopwatch,
  replaced?: string,
): Promise<Searched> {
  const { body, text, deadline, caller } = call;
  requireNoStages(caller, body);
  const rules = await searchRules(services, { ...call, rule_set: body.rule_set });
  const prepare = async (name: string | null, variant?: Assigned, given?: Effects): Promise<Prepared> => {
    requireTemplate(caller, name, { search_query: body.search_query });
    const asked = templateOf(services.settings, { ...body, template: name }, text);
    const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
    const { search_query, template: named, params, segments } = body;
    const facts = { text: search_query, index: body.index, template: named, params, segments };
    const experiment = variant && experimentOf(variant);
    const own = given ?? rules.effectsOn({ ...facts, native: asked.parsed, key: caller.name, experiment });
    const effects = replaced === undefined ? own : { ...own, text: replaced };
    const searched =
      effects.text !== undefined && asked.values
        ? templateOf(services.settings, { ...body, template: name }, text, effects.text)
        : asked;
    if (replaced !== undefined) {
      // The text may stand where the body names an index.
      const worded = asked.values ? searched : { parsed: withText(asked.parsed, body.search_query, replaced) };
      searchedIndexes(caller, body.index, ...checkedParts(caller, worded));
    }
    const template = readTemplate(searched.text, body.settings.weights);
    const target = await watch.time("catalog", () => hybridTarget(services, index, deadline));
    return { asked, index, template, target, effects };
  };
  let assigned = assignedVariant(services.settings.experiments, body, call.headers["x-client-id"]);
  let prepared = await prepare(assigned?.template ?? body.template, assigned);
  const takesPart = ({ template, target }: Prepared, own: Assigned) =>
    canServe(own.experiment, template.queries.length, target) && canInterleave(own, template);
  if (assigned && !takesPart(prepared, assigned)) {
    assigned = undefined;
    prepared = await prepare(body.template);
  }
  const { asked, index, template, target, effects } = prepared;
  const { page } = template;
  const ruled = ruledSearches(effects);
  const query = body.search_query;
  const plan = await planned(
    services,
    prepared,
    { query, settings: assigned?.settings ?? body.settings, deadline },
    watch,
  );
  const { settings, degraded } = plan;
  const rewritten = await rewrittenWith(prepared, plan);

  /** Returns the pages of what a variant searches, without what the cluster refuses of rules and synonyms. */
  const pagesOf = (
    own: Prepared,
    { queries }: Plan,
    rewritten: Rewritten<unknown[]>,
    bodyWith: BodyWith,
  ): SearchPage => {
    const { timeout } = own.template.native;
    const send = (json: string) =>
      watch.time("cluster", () => nativeSearch(services, deadline, own.index, json, { query: QUERY_STRING, timeout }));
    const attempt = attemptsOf({ effects, ruled, rewritten }, queries, bodyWith);
    return (page, options) => attempt((native) => hybridPages(native, send)(page, options));
  };
  const interleaved = assigned?.other && (await interleavedWith(assigned, assigned.other));
  const { stages, declined } = stagesOf([
    interleaved ? { stage: interleaved.stage } : {},
    await rerankingStage(services, {
      index,
      own: body.rerank,
      entry: target,
      query: effects.text ?? query,
      native: template.native,
      page,
    }),
    personalStage(services, body, template.native, page),
    await varyingStage(services, { index, own: body.variety, entry: target, native: template.native, page }),
    await pinsStage(services, {
      ...{ index, effects, native: template.native, page },
      body: () => nativeOf(prepared, plan, 0).bodyWith(NO_EFFECTS, plan.queries),
      pipeline: JSON.stringify({ response_processors: template.responseProcessors }),
    }),
  ]);
  const candidates = Math.max(target.candidates, ...stages.map(({ window }) => window));
  const { maxResultWindow, can } = target;
  const { bodyWith, pipeline, isExplained, paginationDepth } = nativeOf(prepared, plan, candidates);
  const searchPage = pagesOf(prepared, plan, rewritten, bodyWith);
  const ranked = await searchedPage({
    page,
    stages,
    declined,
    plain: () => searchPage(page, { aggregate: true }),
    searchPage,
    maxResultWindow: async () => maxResultWindow,
    deadline,
  });
  const found = await withPassages(ranked);

  return {
    endpoint: "hybrid-search",
    index: body.index,
    echo: {
      index: JSON.stringify(body.index),
      search_query: JSON.stringify(body.search_query),
      ...(body.template !== null && { template: JSON.stringify(body.template) }),
      ...(body.no_hits != null && { no_hits: JSON.stringify(body.no_hits) }),
      search_request_template: withMembers(asked.text, { search_pipeline: pipeline }),
      // Weights are echoed as the request has them; the pipeline shows those that were used.
      settings: JSON.stringify({ ...settings, weights: body.settings.weights }),
    },
    fields: body,
    userQuery: body.search_query,
    query: asked.parsed,
    settings,
    ...shownExperiment(assigned, interleaved, found),
    ...found,
    rules: effects.applied,
    stages: [...rewritten.reports(), ...found.stages],
    degraded: [
      ...degraded,
      ...rules.degraded,
      ...ruled.degraded(),
      ...rewritten.degraded(),
      ...found.degraded,
      ...versionDegradations(template.native, can, { isExplained }),
      ...depthDegradation(found.answer, { page, depth: paginationDepth, native: template.native }),
    ],
    milliseconds: {},
  };

  /** Returns what was found with the best passages that the search wants highlighted. */
  async function withPassages(searched: Found): Promise<Found> {
    const fields = highlighted(template.native, target.passages);
    if (fields.length === 0 || searched.answer.hits.length === 0) return searched;
    const { withBestPassages } = await import("./passage-highlights.ts");
    const { answer, degraded } = await watch.time("passages", () =>
      withBestPassages(services, { index, target, fields, embeddings: plan.embeddings }, searched.answer, deadline),
    );
    return { ...searched, answer, degraded: [...searched.degraded, ...degraded] };
  }

  function rewrittenWith({ target: entry }: Prepared, { queries }: Plan) {
    const { synonyms, locale } = body;
    return rewrittenWithSynonyms(services, { entry, synonyms, locale, deadline }, queries);
  }

  /** Returns the stage that interleaves the hits of another variant with those of this one. */
  async function interleavedWith({ experiment, variant, identity }: Assigned, other: Assigned) {
    const isSame = other.template === undefined || other.template === assigned?.template;
    const itsOwn = isSame ? prepared : await prepare(other.template ?? null, other, effects);
    const itsPlan = await planned(services, itsOwn, { query, settings: other.settings, deadline }, watch);
    const window = target.candidates;
    const { bodyWith: itsBodies } = nativeOf(itsOwn, itsPlan, window);
    return interleaveStage({
      experiment: experiment.name,
      teams: [variant, other.variant],
      searchOther: pagesOf(itsOwn, itsPlan, await rewrittenWith(itsOwn, itsPlan), itsBodies),
      identity: `${identity}\n${body.index}\n${query}`,
      window,
    });
  }
}

/**
 * Returns the experiment of an answer. If the lists of both variants could not be interleaved, the search takes no part: its
 * user has seen one of them.
 */
function shownExperiment(
  assigned: Assigned | undefined,
  interleaved: ReturnType<typeof interleaveStage> | undefined,
  { answer, stages }: Found,
): Pick<Searched, "experiment"> {
  if (!assigned) return {};
  const { name } = assigned.experiment;
  if (!interleaved) return { experiment: { name, variant: assigned.variant } };
  if (stages.some((stage) => stage.name === "interleaving" && stage.failed)) return {};
  return { experiment: { name, variant: INTERLEAVED, teams: answer.hits.map(interleaved.teamOf) } };
}

/** Returns the variant as answers and rules name it. */
const experimentOf = ({ experiment, variant, other }: Assigned) => ({
  name: experiment.name,
  variant: other ? INTERLEAVED : variant,
});

/** What the cluster answers, as an error, to a page past the end of the fused list. Source: neural-search. */
const PAST_THE_END = "Reached end of search result";

/** Returns the pages of a fused list; one past its end is empty, where the cluster answers with an error. */
function hybridPages(body: string, send: (body: string) => Promise<SearchAnswer>): SearchPage {
  const sendPage = (page: Page, changes: Record<string, string | undefined> = {}) =>
    send(
      withMembers(body, { ...changes, from: page.from > 0 ? String(page.from) : undefined, size: String(page.size) }),
    );

  return async (page, { aggregate }) => {
    const answer = await sendPage(page, aggregate ? {} : { aggs: undefined, aggregations: undefined }).catch(
      async (error: unknown) => {
        if (!isPastTheEnd(error)) throw error;
        const first = await sendPage({ from: 0, size: 1 });
        return { ...first, hits: [], text: withHits(first, []) };
      },
    );
    return { ...answer, text: withProfile(answer.text) };
  };
}

const isPastTheEnd = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "rejected_by_cluster" && error.message.includes(PAST_THE_END);

/** Returns an answer with a profile: `truncate_hits` adds an empty one only when it cuts, and answers always have one. */
const withProfile = (text: string): string =>
  memberSlices(text).has("profile") ? text : withMembers(text, { profile: '{"shards":[]}' });
