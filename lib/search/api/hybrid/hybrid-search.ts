import type { Degradation } from "../../../core/http/degradation.ts";
import { ApiError } from "../../../core/http/error.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import { withMembers } from "../../../core/json/slices.ts";
import { earlier } from "../../../core/resilience/deadline.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { type EmbeddingMapping, type IndexSettings, settingsOf } from "../../gateway/settings.ts";
import type { Capabilities } from "../../opensearch/capabilities.ts";
import type { IndexInfo } from "../../opensearch/index-catalog.ts";
import { pageOf } from "../search/page.ts";
import { type PersonalizedAnswer, personalizationOf, personalizedPage } from "../search/personalize.ts";
import { searchReply } from "../search/reply.ts";
import { stopwatch } from "../search/stopwatch.ts";
import { hybridBody, sourceOf } from "./body.ts";
import { embedQuery } from "./embed.ts";
import { depthDegradation, hybridPage } from "./page.ts";
import { depthOf, pipelineJson } from "./pipeline.ts";
import { planLegs } from "./plan.ts";
import type { HybridRequest } from "./request.ts";
import { readTemplate } from "./template.ts";
import { readLegs, replaceTokens } from "./tokens.ts";

/** Candidates of each leg for indexes without an entry in hybrid_search.yaml. */
const DEFAULT_CANDIDATES = 100;

/** POST /application/hybrid-search. */
export async function hybridSearch(services: GatewayServices, call: JsonCall<HybridRequest>): Promise<Reply> {
  const { body, text } = call;
  const { template, issues } = readTemplate(text, body);
  if (!template) throw invalidRequest(issues);
  const watch = stopwatch();

  const [indexes, can] = await watch.time("catalog", () =>
    Promise.all([services.catalog.resolve(body.index, call.deadline), services.capabilities(call.deadline)]),
  );
  if (indexes.length === 0) throw new ApiError("index_not_found", `There is no index or alias ${body.index}.`);
  const settings = indexSettings(services, body.index, indexes);
  const mappings = settings?.embedding_mappings ?? [];
  const { legs, issues: tokenIssues } = readLegs(
    template.queries,
    mappings,
    "search_request_template.query.hybrid.queries",
  );
  const page = pageOf(template.native) ?? { from: 0, size: 0 };
  const problems = [...tokenIssues, ...versionIssues(can, page.from)];
  if (problems.length > 0) throw invalidRequest(problems);

  const used = mappings.filter(({ embedding_field }) => legs.some(({ fields }) => fields.has(embedding_field)));
  // A model that does not answer must leave time for the search by the other legs.
  const half = earlier(call.deadline, call.deadline.remaining() / 2);
  const embedded = await watch.time("embedding", () => embedQuery(services, body.search_query, used, half));
  const plan = planLegs(legs, embedded, body.settings.weights, settings?.on_embedding_failure.query ?? "degrade");
  const queries = plan.kept.map((leg) =>
    replaceTokens(template.queries[leg], { embeddings: embedded.embeddings, queryTokens: can.queryTokens }),
  );

  const profile = profileOf(template.native, can);

  const maxResultWindow = Math.min(...indexes.map((index) => index.maxResultWindow));
  const how = personalizationOf(services, body, template.native, page);
  const personal = how !== undefined && !("reason" in how);
  const window = personal ? Math.min(how.window, maxResultWindow) : 0;
  const candidates = Math.max(settings?.candidates ?? DEFAULT_CANDIDATES, window);
  const { paginationDepth, sampleFactor } = depthOf(page.size, candidates, maxResultWindow, can.pagination);
  const pipeline = pipelineJson(body.settings, plan.weights, sampleFactor);
  const native = hybridBody(template, {
    queries,
    paginationDepth,
    pipeline,
    source: sourceOf(template.native, mappings),
    dropProfile: profile !== undefined,
  });

  const searchPage = hybridPage(services, call, body.index, native, (stage, work) => watch.time(stage, work));
  let found: PersonalizedAnswer;
  if (personal) found = await personalizedPage(searchPage, page, { ...how, window }, services.ranker, call.deadline);
  else {
    const notPersonal = how && "reason" in how ? [how] : [];
    found = { answer: await searchPage(page, { aggregate: true }), personalized: false, degraded: notPersonal };
  }
  const depth = depthDegradation(found.answer, page);

  return searchReply(services, call, {
    endpoint: "hybrid-search",
    index: body.index,
    echo: {
      index: JSON.stringify(body.index),
      search_query: JSON.stringify(body.search_query),
      search_request_template: withMembers(template.text, { search_pipeline: pipeline }),
      settings: JSON.stringify(body.settings),
    },
    fields: body,
    userQuery: body.search_query,
    query: body.search_request_template,
    settings: body.settings,
    answer: found.answer,
    personalized: found.personalized,
    degraded: [...plan.degraded, ...found.degraded, ...[profile, depth].filter((one) => one !== undefined)],
    milliseconds: watch.read(),
  });
}

/** The settings of an index or alias; an alias over indexes with other embedding fields cannot be searched as one. */
function indexSettings(
  { settings }: Pick<GatewayServices, "settings">,
  name: string,
  indexes: readonly IndexInfo[],
): IndexSettings | undefined {
  const byName = settingsOf(settings, name);
  if (byName) return byName;
  const found = indexes.map((index) => settingsOf(settings, index.name));
  const [first] = found;
  if (found.some((other) => !sameMappings(first?.embedding_mappings, other?.embedding_mappings))) {
    throw invalidRequest([
      {
        path: "index",
        message: `${name} stands for indexes with different embedding mappings; search them one by one`,
      },
    ]);
  }
  return first;
}

const sameMappings = (a: readonly EmbeddingMapping[] | undefined, b: readonly EmbeddingMapping[] | undefined) =>
  JSON.stringify(a) === JSON.stringify(b);

function versionIssues(can: Capabilities, from: number): Array<{ path: string; message: string }> {
  if (!can.hybrid) {
    const message = `holds a hybrid query, which needs OpenSearch 2.12; the cluster is ${can.version}`;
    return [{ path: "search_request_template.query", message }];
  }
  if (from === 0 || can.pagination) return [];
  const message = `must be 0: pages of a hybrid query need OpenSearch 2.19; the cluster is ${can.version}`;
  return [{ path: "search_request_template.from", message }];
}

function profileOf(native: Record<string, unknown>, can: Capabilities): Degradation | undefined {
  if (native.profile !== true || can.hybridProfile) return undefined;
  return {
    stage: "profile",
    target: "search_request_template.profile",
    reason: `OpenSearch ${can.version} cannot profile a hybrid query; 3.6 can`,
    effect: "profile is empty",
  };
}
