import { ApiError } from "../../../core/http/error.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import { searchedIndexes } from "../../access/query.ts";
import { checkedParts, requireNoVariety, requireTemplate } from "../../access/templates.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { nativeSearch, type SearchAnswer, withHits } from "../../page/answer.ts";
import type { Page, SearchPage } from "../../page/native-page.ts";
import { personalStage } from "../../page/personal.ts";
import { searchedPage } from "../../page/run.ts";
import { stagesOf } from "../../page/stage.ts";
import { varietyStage } from "../../page/variety.ts";
import { searchReply, stopwatch } from "../search/reply.ts";
import { depthOf, hybridBody, pipelineJson } from "./body.ts";
import { depthDegradation, versionDegradations } from "./degraded.ts";
import { assignedVariant, canServe } from "./experiment.ts";
import { runnableQueries } from "./queries.ts";
import { appliedSettings, type HybridRequest } from "./request.ts";
import { hybridTarget, settingsIssues } from "./target.ts";
import { readTemplate, templateOf } from "./template.ts";

/**
 * The shard's request cache keeps results of `size: 0`. It drops what neural-search adds to them, so that every repeat
 * of a hybrid search on an index of one shard fails (illegal_state_exception, seen on 2.19.6 and 3.6.0).
 */
const QUERY_STRING = "request_cache=false";

/** Answers `POST /application/hybrid-search`: embeds the query text, fuses the subqueries, ranks for the user. */
export async function hybridSearch(services: GatewayServices, call: JsonCall<HybridRequest>): Promise<Reply> {
  const { body, text, deadline, caller } = call;
  requireNoVariety(caller, body.variety);
  const watch = stopwatch();
  const prepare = async (name: string | null) => {
    requireTemplate(caller, name, { search_query: body.search_query });
    const asked = templateOf(services.settings, { ...body, template: name }, text);
    const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
    const template = readTemplate(asked.text, body.settings.weights);
    const target = await watch.time("catalog", () => hybridTarget(services, index, deadline));
    return { asked, index, template, target };
  };
  let assigned = assignedVariant(services.settings.experiments, body, call.headers["x-client-id"]);
  let prepared = await prepare(assigned?.template ?? body.template);
  if (assigned && !canServe(assigned.experiment, prepared.template.queries.length, prepared.target)) {
    assigned = undefined;
    prepared = await prepare(body.template);
  }
  const { asked, index, template, target } = prepared;
  const { page } = template;
  const settings = appliedSettings(assigned?.settings ?? body.settings, target.settings, template.queries.length);
  const issues = settingsIssues(settings, target.can);
  if (issues.length > 0) throw invalidRequest(issues);
  const what = { query: body.search_query, weights: settings.weights, deadline };
  const { queries, weights, degraded } = await runnableQueries(services, what, template, target, watch);

  const { stages, declined } = stagesOf([
    personalStage(services, body, template.native, page),
    varietyStage(services, { index, own: body.variety, entry: target, native: template.native, page }),
  ]);
  const candidates = Math.max(target.candidates, ...stages.map(({ window }) => window));
  const { maxResultWindow, can } = target;
  const { paginationDepth, sampleFactor } = depthOf(page.size, candidates, maxResultWindow, can.pagination);
  // The processor fails beside rescore, and gives the hits of a later page the explanations of the first ones.
  const isExplained =
    can.scoreExplanation &&
    (can.wrappedExplanation || !target.isWrapped) &&
    template.native.rescore === undefined &&
    page.from === 0;
  const pipeline = pipelineJson(settings, {
    weights,
    sampleFactor,
    explain: template.native.explain === true && isExplained,
    responseProcessors: template.responseProcessors,
  });
  const native = hybridBody(template, {
    queries,
    paginationDepth,
    pipeline,
    mappings: target.embedding_mappings,
    dropProfile: !can.hybridProfile,
  });

  const searchPage = hybridPages(native, (json) =>
    watch.time("cluster", () =>
      nativeSearch(services, deadline, index, json, { query: QUERY_STRING, timeout: template.native.timeout }),
    ),
  );
  const found = await searchedPage({
    page,
    stages,
    declined,
    plain: () => searchPage(page, { aggregate: true }),
    searchPage,
    maxResultWindow: async () => maxResultWindow,
    deadline,
  });

  return searchReply(services, call, {
    endpoint: "hybrid-search",
    index: body.index,
    echo: {
      index: JSON.stringify(body.index),
      search_query: JSON.stringify(body.search_query),
      ...(body.template !== null && { template: JSON.stringify(body.template) }),
      search_request_template: withMembers(template.text, { search_pipeline: pipeline }),
      // Weights are echoed as the request has them; the pipeline shows those that were used.
      settings: JSON.stringify({ ...settings, weights: body.settings.weights }),
    },
    fields: body,
    userQuery: body.search_query,
    query: asked.parsed,
    settings,
    ...(assigned && { experiment: { name: assigned.experiment.name, variant: assigned.variant } }),
    ...found,
    degraded: [
      ...degraded,
      ...found.degraded,
      ...versionDegradations(template.native, can, { isExplained }),
      ...depthDegradation(found.answer, { page, depth: paginationDepth, native: template.native }),
    ],
    milliseconds: watch.read(),
  });
}

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
