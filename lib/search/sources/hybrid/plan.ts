import { invalidRequest } from "../../../platform/http/validate.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import type { Effects } from "../../rules/effects.ts";
import { withEffects, withText } from "../../rules/queries.ts";
import type { SearchBody } from "../../run/named-template.ts";
import type { Stopwatch } from "../../run/reply.ts";
import { ofPassages } from "./best-passages.ts";
import { depthOf, hybridBody, pipelineJson } from "./body.ts";
import { type RunnableQueries, runnableQueries } from "./queries.ts";
import { type AppliedHybridSettings, appliedSettings, type HybridSettings } from "./request.ts";
import { type HybridTarget, settingsIssues } from "./target.ts";
import type { Template } from "./template.ts";

/** A request, or a variant of it, with its template and what it searches. */
export interface Prepared {
  asked: SearchBody;
  index: string;
  template: Template;
  target: HybridTarget;
  /** What rules do to it. */
  effects: Effects;
}

/** What a hybrid search runs. */
export interface Plan extends RunnableQueries {
  settings: AppliedHybridSettings;
}

/** Returns a native body. */
export type BodyWith = (effects: Effects, queries: readonly unknown[]) => string;

/** What a plan is made with. */
interface Asked {
  query: string;
  settings: HybridSettings;
  deadline: Deadline;
}

/** Returns the settings and subqueries of a search. Throws `invalid_request` for settings that the cluster cannot serve. */
export async function planned(
  services: GatewayServices,
  { asked, template, target, effects }: Prepared,
  { query: text, settings: own, deadline }: Asked,
  watch: Stopwatch,
): Promise<Plan> {
  const settings = appliedSettings(own, target.settings, template.queries.length);
  const issues = settingsIssues(settings, target.can);
  if (issues.length > 0) throw invalidRequest(issues);
  const what = { query: effects.text ?? text, weights: settings.weights, deadline };
  const runnable = await runnableQueries(services, what, template, target, watch);
  // A template is filled with the text of rules.
  const to = asked.values ? undefined : effects.text;
  const queries = to === undefined ? runnable.queries : runnable.queries.map((own) => withText(own, text, to));
  return { settings, ...runnable, queries };
}

/** Returns what makes the native body of a plan from subqueries and the effects of rules, the pipeline that is echoed, and how deep it searches. */
export function nativeOf({ template, target }: Prepared, { settings, weights }: Plan, candidates: number) {
  const { page } = template;
  const { maxResultWindow, can } = target;
  const { paginationDepth, sampleFactor } = depthOf(page.size, candidates, maxResultWindow, can.pagination);
  // The processor fails beside rescore, and gives the hits of a later page the explanations of the first ones.
  const isExplained =
    can.scoreExplanation &&
    (can.wrappedExplanation || !target.isWrapped) &&
    template.native.rescore === undefined &&
    page.from === 0;
  const parts = {
    weights,
    sampleFactor,
    explain: template.native.explain === true && isExplained,
    responseProcessors: template.responseProcessors,
  };
  const pipeline = pipelineJson(settings, { ...parts, own: target.pipeline });
  const bodyWith: BodyWith = (effects, queries) =>
    hybridBody(template, {
      queries: queries.map((own) =>
        ofPassages(withEffects(own, effects), { fields: target.passages, can, shared: template.hybrid.filter }),
      ),
      paginationDepth,
      pipeline,
      embeddings: target.embeddings,
      passages: target.passages,
      dropProfile: !can.hybridProfile,
    });
  // The echo has none of the index's pipeline, which callers may not know.
  return { bodyWith, echoed: pipelineJson(settings, parts), isExplained, paginationDepth };
}
