import { withMembers } from "../../../platform/json/slices.ts";
import { nativeSearch } from "../../page/answer.ts";
import { droppingReason } from "../../page/native-page.ts";
import type { PageResult } from "../../page/stage.ts";
import type { Retrieval, Running, Sender, Source, Worded } from "../../run/source.ts";
import { highlighted } from "./best-passages.ts";
import { depthDegradation, fusedPages, versionDegradations } from "./fused-pages.ts";
import { nativeOf, type OpenedHybrid, type Plan, planned } from "./plan.ts";
import type { HybridRequest, HybridSettings } from "./request.ts";
import { hybridTarget } from "./target.ts";
import { readTemplate, templateOf } from "./template.ts";
import { hasTokens } from "./tokens.ts";

/**
 * The shard's request cache stores results of `size: 0`, but drops what neural-search adds to them. So every repeat of
 * a hybrid search on an index with one shard fails (illegal_state_exception, seen on 2.19.6 and 3.6.0).
 */
const QUERY_STRING = "request_cache=false";

/** `POST /application/hybrid-search`: embeds the query text, and lets the cluster fuse the hits of the subqueries. */
export const hybrid: Source<HybridRequest, OpenedHybrid> = {
  kind: "hybrid-search",

  textOf: ({ search_query }) => search_query,

  bodyOf: (settings, { body, text }, template, replaced) =>
    templateOf(settings, { ...body, template: template ?? null }, text, replaced),

  isEmbedded: ({ parsed }) => hasTokens(parsed.query),

  async variantOf(running, index) {
    if (running.settings.experiments.length === 0) return undefined;
    const { variantOf } = await import("./experiment.ts");
    return variantOf(running, index);
  },

  async open(running, search) {
    const { call, watch } = running;
    const template = readTemplate(search.worded.text, call.body.settings.weights);
    const entry = await watch.time("catalog", () => hybridTarget(running, search.index, call.deadline));
    const { native, page, filters } = template;
    const opened = { template, native, page, filters, entry };
    return {
      ...opened,
      retrieval: (settings) => retrievalOf(running, search, opened, settings as HybridSettings | undefined),
    };
  },
};

async function retrievalOf(
  running: Running<HybridRequest>,
  search: Worded,
  opened: Omit<OpenedHybrid, "retrieval">,
  settings: HybridSettings = running.call.body.settings,
): Promise<Retrieval> {
  const { embedder, call, watch } = running;
  const { entry } = opened;
  const query = search.effects.text ?? call.body.search_query;
  const plan = await planned(embedder, opened, { query, settings, deadline: call.deadline }, watch);
  const { request_processors } = entry.pipeline;
  const response_processors = processorsOf(opened);
  return {
    queries: () => plan.queries,
    pins: {
      body: () => nativeOf(opened, plan, 0).bodyWith(plan.queries),
      pipeline: JSON.stringify({
        request_processors,
        response_processors,
      }),
    },
    unpagedBecause: async () => droppingReason(response_processors),
    maxResultWindow: async () => entry.maxResultWindow,
    sender: (window) => senderOf(running, search, opened, plan, Math.max(entry.candidates, window)),
    degraded: plan.degraded,
    settings: plan.settings,
  };
}

/** Returns the response processors that run after fusion: those of the index, then the caller's. */
const processorsOf = ({ template, entry }: Pick<OpenedHybrid, "template" | "entry">): readonly unknown[] => [
  ...entry.pipeline.response_processors,
  ...template.responseProcessors,
];

function senderOf(
  running: Running<HybridRequest>,
  { own, index }: Worded,
  opened: Omit<OpenedHybrid, "retrieval">,
  plan: Plan,
  candidates: number,
): Sender {
  const { cluster, call, watch } = running;
  const { native, entry } = opened;
  const { page } = opened.template;
  const { can, pipeline } = entry;
  const { timeout } = native;
  const { search_query, template, no_hits } = call.body;
  const { bodyWith, echoed, isExplained, paginationDepth } = nativeOf(opened, plan, candidates);
  const search = (stage: string, json: string, query?: { query: string }) =>
    watch.time(stage, () => nativeSearch(cluster, call.deadline, index, json, { ...query, timeout }));
  const fused = (json: string) =>
    search("cluster", json, { query: QUERY_STRING }).catch(async (error: unknown) => {
      const { pipelineRefusal } = await import("./default-pipeline.ts");
      throw pipelineRefusal(error, pipeline, can.version);
    });
  return {
    body: (queries = plan.queries) => bodyWith(queries),
    async send(json, wanted = page, options) {
      const counts = can.hybridTotals || !options.aggregate ? undefined : await import("./totals.ts");
      const found = fusedPages(json, fused)(wanted, options);
      if (!counts?.isMiscounted(native)) return found;
      return counts.withTotals(found, native, () => search("totals", counts.countBody(json)));
    },
    async finish(found) {
      const { answer, degraded, ...rest } = await withPassages(found);
      const lacking = versionDegradations(native, can, { isExplained });
      // A page that a processor has shortened says nothing about the list.
      const isCut = answer.hits.length > 0 && droppingReason(processorsOf(opened)) !== undefined;
      const short = isCut ? [] : depthDegradation(answer, { page, depth: paginationDepth, native });
      return { ...rest, answer, degraded: [...degraded, ...lacking, ...short] };
    },
    echo: {
      search_query: JSON.stringify(search_query),
      ...(template != null && { template: JSON.stringify(template) }),
      ...(no_hits != null && { no_hits: JSON.stringify(no_hits) }),
      search_request_template: withMembers(own.text, { search_pipeline: echoed }),
      // Weights are echoed as in the request; the pipeline shows the weights that were used.
      settings: JSON.stringify({ ...plan.settings, weights: call.body.settings.weights }),
    },
  };

  /** Adds the best passages for requested highlights to a result. */
  async function withPassages(found: PageResult): Promise<PageResult> {
    const fields = highlighted(native, entry.passages);
    if (fields.length === 0 || found.answer.hits.length === 0) return found;
    const { withBestPassages } = await import("./passage-highlights.ts");
    const wanted = { index, target: entry, fields, embeddings: plan.embeddings };
    const { answer, degraded } = await watch.time("passages", () =>
      withBestPassages(running, wanted, found.answer, call.deadline),
    );
    return { ...found, answer, degraded: [...found.degraded, ...degraded] };
  }
}
