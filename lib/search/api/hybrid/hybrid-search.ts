import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import { withMembers } from "../../../core/json/slices.ts";
import { searchedIndexes } from "../../access/application.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { nativeSearch } from "../search/native-search.ts";
import { pageOf } from "../search/page.ts";
import { personalizationOf, personalizedPage, plainPage } from "../search/personalize.ts";
import { searchReply } from "../search/reply.ts";
import { stopwatch } from "../search/stopwatch.ts";
import { hybridBody, sourceOf } from "./body.ts";
import { assignedVariant, canServe } from "./experiment.ts";
import { templateOf } from "./named-template.ts";
import { depthDegradation, hybridPages } from "./page.ts";
import { depthOf, pipelineJson } from "./pipeline.ts";
import { runnableQueries } from "./queries.ts";
import type { HybridRequest } from "./request.ts";
import { appliedSettings } from "./settings.ts";
import { profileDegradation, settingsIssues } from "./support.ts";
import { hybridTarget } from "./target.ts";
import { readTemplate } from "./template.ts";

/**
 * The shard's request cache keeps results of `size: 0`. It drops what neural-search adds to them, so that every repeat
 * of a hybrid search on an index of one shard fails (illegal_state_exception, seen on 2.19.6 and 3.6.0).
 */
const QUERY_STRING = "request_cache=false";

/** Answers `POST /application/hybrid-search`: embeds the query text, fuses the subqueries, ranks for the user. */
export async function hybridSearch(services: GatewayServices, call: JsonCall<HybridRequest>): Promise<Reply> {
  const { body, text, deadline, caller } = call;
  const watch = stopwatch();
  const prepare = async (name: string | null) => {
    const asked = templateOf(services.settings, { ...body, template: name }, text);
    const index = searchedIndexes(caller, body.index, asked.parsed);
    const template = readTemplate(asked.text, body.settings.weights);
    const target = await watch.time("catalog", () => hybridTarget(services, body.index, deadline));
    return { asked, index, template, target };
  };
  let assigned = assignedVariant(services.settings.experiments, body, call.headers["x-client-id"]);
  let prepared = await prepare(assigned?.template ?? body.template);
  if (assigned && !canServe(assigned.experiment, prepared.template.queries.length, prepared.target)) {
    assigned = undefined;
    prepared = await prepare(body.template);
  }
  const { asked, index, template, target } = prepared;
  const page = pageOf(template.native) ?? { from: 0, size: 0 };
  const settings = appliedSettings(assigned?.settings ?? body.settings, target.settings, template.queries.length);
  const issues = settingsIssues(settings, target.can);
  if (issues.length > 0) throw invalidRequest(issues);
  const what = { query: body.search_query, weights: settings.weights, deadline };
  const { queries, weights, degraded } = await runnableQueries(services, what, template, target, watch);

  const how = personalizationOf(services, body, template.native, page);
  const candidates = how.kind === "on" ? Math.max(target.candidates, how.window) : target.candidates;
  const { maxResultWindow, can } = target;
  const { paginationDepth, sampleFactor } = depthOf(page.size, candidates, maxResultWindow, can.pagination);
  const pipeline = pipelineJson(settings, {
    weights,
    sampleFactor,
    explain: template.native.explain === true && can.scoreExplanation,
    responseProcessors: template.responseProcessors,
  });
  const profile = profileDegradation(template.native, can);
  const native = hybridBody(template, {
    queries,
    paginationDepth,
    pipeline,
    source: sourceOf(template.native, target.embedding_mappings),
    dropProfile: profile !== undefined,
  });

  const searchPage = hybridPages(native, (json) =>
    watch.time("cluster", () => nativeSearch(services, deadline, index, json, QUERY_STRING)),
  );
  const found =
    how.kind === "on"
      ? await personalizedPage(how, maxResultWindow, searchPage, services.ranker, deadline)
      : await plainPage(how, () => searchPage(page, { aggregate: true }));

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
    degraded: [...degraded, ...found.degraded, ...(profile ? [profile] : []), ...depthDegradation(found.answer, page)],
    milliseconds: watch.read(),
  });
}
