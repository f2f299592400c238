import { invalidRequest } from "../../../platform/http/validate.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import type { SourceTools } from "../../gateway/tools.ts";
import type { Stopwatch } from "../../run/reply.ts";
import type { Opened } from "../../run/source.ts";
import { ofPassages } from "./best-passages.ts";
import { depthOf, hybridBody, pipelineJson } from "./body.ts";
import { type RunnableQueries, runnableQueries } from "./queries.ts";
import { type AppliedHybridSettings, appliedSettings, type HybridSettings } from "./request.ts";
import { type HybridTarget, settingsIssues } from "./target.ts";
import type { Template } from "./template.ts";

/** A hybrid search with parsed template and resolved indexes. */
export interface OpenedHybrid extends Opened {
  template: Template;
  entry: HybridTarget;
}

/** Subqueries and settings to run a hybrid search with. */
export interface Plan extends RunnableQueries {
  settings: AppliedHybridSettings;
}

/** Inputs of a plan. */
interface PlanRequest {
  query: string;
  settings: HybridSettings;
  deadline: Deadline;
}

/**
 * Returns the settings and subqueries of a search. Throws `invalid_request` for settings that the cluster does not
 * support.
 */
export async function planned(
  embedder: SourceTools["embedder"],
  { template, entry }: Pick<OpenedHybrid, "template" | "entry">,
  { query, settings: own, deadline }: PlanRequest,
  watch: Stopwatch,
): Promise<Plan> {
  const settings = appliedSettings(own, entry.settings, template.queries.length);
  const issues = settingsIssues(settings, entry.can);
  if (issues.length > 0) throw invalidRequest(issues);
  const asked = { query, weights: settings.weights, deadline };
  return { settings, ...(await runnableQueries(embedder, asked, template, entry, watch)) };
}

/** Returns a function that builds the native body from subqueries, the pipeline for the echo, and the depth. */
export function nativeOf(
  { template, entry }: Pick<OpenedHybrid, "template" | "entry">,
  { settings, weights }: Plan,
  candidates: number,
) {
  const { page } = template;
  const { maxResultWindow, can } = entry;
  const { paginationDepth, sampleFactor } = depthOf(page.size, candidates, maxResultWindow, can.pagination);
  // The explanation processor fails with `rescore`, and explains later pages with the first page's hits.
  const isExplained =
    can.scoreExplanation &&
    (can.wrappedExplanation || !entry.isWrapped) &&
    template.native.rescore === undefined &&
    page.from === 0;
  const parts = {
    weights,
    sampleFactor,
    explain: template.native.explain === true && isExplained,
    responseProcessors: template.responseProcessors,
  };
  const pipeline = pipelineJson(settings, { ...parts, own: entry.pipeline });
  const bodyWith = (queries: readonly unknown[]) =>
    hybridBody(template, {
      queries: queries.map((own) => ofPassages(own, { fields: entry.passages, can })),
      paginationDepth,
      pipeline,
      embeddings: entry.embeddings,
      passages: entry.passages,
      dropProfile: !can.hybridProfile,
    });
  // The echo omits the index's own pipeline, which callers may not be allowed to see.
  return { bodyWith, echoed: pipelineJson(settings, parts), isExplained, paginationDepth };
}
