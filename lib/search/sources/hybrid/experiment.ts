import { INTERLEAVED } from "../../../platform/contract/search.ts";
import { variantFor } from "../../../platform/experiments/assignment.ts";
import type { Experiment } from "../../gateway/settings.ts";
import { ownOrderOf } from "../../page/native-page.ts";
import type { Found } from "../../page/stage.ts";
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

/** The variant that a search gets. */
export interface Assigned {
  experiment: Experiment;
  /** Name of the variant. */
  variant: string;
  /** Used in place of the request's template; absent if the variants differ in settings alone. */
  template: string | undefined;
  settings: HybridSettings;
  /** Whoever searches: the user or client that decides. */
  identity: string;
  /** In an experiment that interleaves: the variant whose hits are shown among those of this one. */
  other?: Assigned;
}

/** Returns the variant that a search gets; undefined if it is in no experiment. */
export async function variantOf(
  { services, call }: Running<HybridRequest>,
  searched: string,
): Promise<Variant<OpenedHybrid> | undefined> {
  const { body, headers, deadline } = call;
  const { experiments } = services.settings;
  // The search itself reports what is wrong with its index.
  const { indexes } = await resolveTarget(services, searched, deadline).catch(() => ({ indexes: [] }));
  const assigned = assignedVariant(experiments, { ...body, indexes }, headers["x-client-id"]);
  if (!assigned) return undefined;
  const { experiment, variant, template, settings, identity, other } = assigned;
  return {
    experiment: experimentOf(assigned),
    template,
    settings,
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

interface Asked extends Pick<HybridRequest, "index" | "settings" | "template" | "user_id"> {
  /** What the index expression stands for. */
  indexes: ReadonlyArray<Pick<TargetIndex, "name" | "names">>;
}

/**
 * Returns the variant of the experiment on the searched indexes, however the request names them. A user, or without `user_id` a client, always gets the
 * same one. Undefined if nobody is named, if an index is outside the experiment, or the request has settings of its own,
 * if no variant has its template, or if the user is beyond the shares.
 */
export function assignedVariant(
  experiments: readonly Experiment[],
  { index, indexes, settings, template, user_id }: Asked,
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
  });
  const [one, other] = experiment.variants;
  // Whoever is in an experiment that interleaves sees both variants.
  return experiment.kind === "interleave" && one && other
    ? { ...assigned(one), other: assigned(other) }
    : assigned(drawn);
}

/**
 * Returns whether the cluster can serve every variant of an experiment to a search. If it cannot serve one, the search
 * takes no part: leaving out only the users of that variant would make the others incomparable.
 */
export function canServe(
  { variants }: Experiment,
  subqueries: number,
  { settings, can }: Pick<HybridTarget, "settings" | "can">,
): boolean {
  return variants.every((variant) => {
    const { weights } = variant.settings;
    // The configuration was checked to have as many weights as a named template has subqueries.
    if (variant.template === undefined && weights && weights.length !== subqueries) return false;
    return settingsIssues(appliedSettings(asRequested(variant), settings, subqueries), can).length === 0;
  });
}

/** Returns whether a search has hits to interleave, in an order that is not the caller's own, if its experiment interleaves. */
export const canInterleave = ({ other }: Assigned, { native, page }: Pick<Template, "native" | "page">): boolean =>
  other === undefined || (ownOrderOf(native) === undefined && page.size > 0);

/**
 * Returns the experiment of an answer. If the lists of both variants could not be interleaved, the search takes no part: its
 * user has seen one of them.
 */
export function shownExperiment(
  { experiment: { name }, variant }: Assigned,
  interleaved: Interleaved | undefined,
  { answer, stages }: Found,
): Searched["experiment"] | undefined {
  if (!interleaved) return { name, variant };
  if (stages.some((stage) => stage.name === "interleaving" && stage.failed)) return undefined;
  return { name, variant: INTERLEAVED, teams: answer.hits.map(interleaved.teamOf) };
}

/** Returns the variant as answers and rules name it. */
const experimentOf = ({ experiment, variant, other }: Assigned) => ({
  name: experiment.name,
  variant: other ? INTERLEAVED : variant,
});

const asRequested = ({ settings }: Experiment["variants"][number]): HybridSettings => ({
  weights: settings.weights ?? null,
  normalization: settings.normalization ?? null,
  combination: settings.combination ?? null,
});
