import { INTERLEAVED } from "../../../platform/contract/search.ts";
import { variantFor } from "../../../platform/experiments/assignment.ts";
import type { Experiment } from "../../gateway/settings.ts";
import { ownOrderOf } from "../../page/native-page.ts";
import type { PageResult } from "../../page/stage.ts";
import { entryOf } from "../../resolve/entry.ts";
import { namesIn } from "../../resolve/expression.ts";
import { resolveTarget, type TargetIndex } from "../../resolve/target.ts";
import type { Searched } from "../../run/reply.ts";
import type { Interleaved, Running, Variant } from "../../run/source.ts";
import { interleaveStage } from "../../stages/interleave.ts";
import type { OpenedHybrid } from "./plan.ts";
import { appliedSettings, type HybridRequest, type HybridSettings } from "./request.ts";
import { type HybridTarget, settingsIssues } from "./target.ts";
import type { Template } from "./template.ts";

/** The experiment variant for a search. */
export interface Assigned {
  experiment: Experiment;
  /** Name of the variant. */
  variant: string;
  /** Replaces the request's template. Absent if the variants differ only in settings. */
  template: string | undefined;
  settings: HybridSettings;
  /** Settings of stages in place of those of the entry. */
  stages: Variant<OpenedHybrid>["stages"];
  /** The user or client by which the variant was chosen. */
  identity: string;
  /** In an interleaving experiment: the other variant, whose hits are mixed with those of this one. */
  other?: Assigned;
}

/** Returns the experiment variant for a search; undefined if it is in no experiment. */
export async function variantOf(
  running: Running<HybridRequest>,
  searched: string,
): Promise<Variant<OpenedHybrid> | undefined> {
  const { body, headers, deadline } = running.call;
  const { experiments } = running.settings;
  // If the index cannot be resolved, the search itself reports the problem.
  const { indexes } = await resolveTarget(running, searched, deadline).catch(() => ({ indexes: [] }));
  const assigned = assignedVariant(experiments, { ...body, indexes }, headers["x-client-id"]);
  if (!assigned) return undefined;
  const { experiment, variant, template, settings, stages, identity, other } = assigned;
  return {
    experiment: experimentOf(assigned),
    template,
    settings,
    stages,
    ...(other && { other }),
    canServe: ({ template, entry }) =>
      canServe(experiment, template.queries.length, entry) && canInterleave(assigned, template),
    interleaved: (searchOther, window) =>
      interleaveStage({
        experiment: experiment.name,
        teams: [variant, other?.variant ?? variant],
        searchOther,
        identity: `${identity}\n${body.index}\n${body.search_query}`,
        window,
      }),
    shown: (found, interleaved) => shownExperiment(assigned, interleaved, found),
  };
}

interface AssignmentRequest extends Pick<HybridRequest, "index" | "settings" | "template" | "user_id"> {
  /** The indexes of the expression. */
  indexes: ReadonlyArray<Pick<TargetIndex, "name" | "names">>;
}

/**
 * Returns the variant of the experiment on the searched indexes, independent of their names in the request. A user, or
 * without `user_id` a client, always gets the same variant. Undefined if the request has neither, if an index is
 * outside of the experiment, if the request has its own settings, if no variant has its template, or if the user is
 * outside of all shares.
 */
export function assignedVariant(
  experiments: readonly Experiment[],
  { index, indexes, settings, template, user_id }: AssignmentRequest,
  clientId: string | undefined,
): Assigned | undefined {
  const identity = user_id ?? clientId;
  const asked = namesIn(index);
  const found = indexes.map(({ name, names }) => entryOf(experiments, { name, aliases: names }, asked));
  const [experiment, ...others] = new Set(found);
  if (!experiment || others.length > 0 || !identity) return undefined;
  if ([settings.weights, settings.normalization, settings.combination].some((own) => own != null)) return undefined;
  const templates = experiment.variants.flatMap((variant) => variant.template ?? []);
  if (templates.length > 0 && (template === null || !templates.includes(template))) return undefined;
  const drawn = variantFor(experiment, identity);
  if (!drawn) return undefined;
  const assigned = (variant: Experiment["variants"][number]): Assigned => ({
    ...{ experiment, variant: variant.name, template: variant.template, settings: asRequested(variant), identity },
    stages: variant.boost ? { boost: variant.boost } : {},
  });
  const [one, other] = experiment.variants;
  // In an interleaving experiment, every user sees both variants.
  return experiment.kind === "interleave" && one && other
    ? { ...assigned(one), other: assigned(other) }
    : assigned(drawn);
}

/**
 * Returns whether the cluster supports every variant of an experiment for a search. If it does not support one, the
 * search takes no part: excluding only that variant's users would make the others incomparable.
 */
export function canServe(
  { variants }: Experiment,
  subqueries: number,
  { settings, can }: Pick<HybridTarget, "settings" | "can">,
): boolean {
  return variants.every((variant) => {
    const { weights } = variant.settings;
    // For named templates, the configuration was checked to have one weight per subquery.
    if (variant.template === undefined && weights && weights.length !== subqueries) return false;
    return settingsIssues(appliedSettings(asRequested(variant), settings, subqueries), can).length === 0;
  });
}

/**
 * Returns whether a search of an interleaving experiment can be interleaved: it returns hits, and not in an order of
 * the caller's.
 */
export const canInterleave = ({ other }: Assigned, { native, page }: Pick<Template, "native" | "page">): boolean =>
  other === undefined || (ownOrderOf(native) === undefined && page.size > 0);

/**
 * Returns the experiment for the answer. If the lists of both variants could not be interleaved, the search takes no
 * part, because its user has seen only one.
 */
export function shownExperiment(
  { experiment: { name }, variant }: Assigned,
  interleaved: Interleaved | undefined,
  { answer, stages }: PageResult,
): Searched["experiment"] | undefined {
  if (!interleaved) return { name, variant };
  if (stages.some((stage) => stage.name === "interleaving" && stage.failed)) return undefined;
  return { name, variant: INTERLEAVED, teams: answer.hits.map(interleaved.teamOf) };
}

/** Returns the variant in the form of answers and rules. */
const experimentOf = ({ experiment, variant, other }: Assigned) => ({
  name: experiment.name,
  variant: other ? INTERLEAVED : variant,
});

const asRequested = ({ settings }: Experiment["variants"][number]): HybridSettings => ({
  weights: settings.weights ?? null,
  normalization: settings.normalization ?? null,
  combination: settings.combination ?? null,
});
