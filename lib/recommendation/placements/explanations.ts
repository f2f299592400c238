import type { Engine } from "../../platform/contract/recommendation.ts";
import { versionParameter } from "../../platform/naming/version-parameter.ts";
import { logFailure } from "../service/reply.ts";
import type { Arranged } from "./arrange.ts";
import type { Origin } from "./candidates.ts";
import type { Visit } from "./visit.ts";

/**
 * Returns for each item of a list why it is there. Whoever can name any user would read in the reasons what that user did: a
 * key without `user_history` is told only the items that the request itself names.
 */
export async function explanations(visit: Visit, list: readonly Arranged[]) {
  const { placement, seeds, call } = visit;
  const own = new Set([...seeds, ...(call.body.context?.session_item_ids ?? [])]);
  const isNamed = (id: string) => call.caller.user_history === true || own.has(id);
  const version = list.some(({ origin }) => origin === "campaign") ? await campaignVersion(visit) : null;
  const suggested = list.some(({ origin }) => origin === "built_in") ? await visit.suggested() : undefined;
  return list.map(({ id, origin, promotion, isMoved }) => {
    const engine = engineOf(origin);
    const isSource = origin === "campaign" || origin === placement.engine;
    const step = isSource ? -1 : placement.fallback.findIndex(({ list }) => list === origin);
    return {
      item_id: id,
      engine,
      version: { personalize: version, built_in: suggested?.run ?? null, list: null }[engine],
      recipe: isSource ? (placement.recipe ?? null) : null,
      because_of: engine === "built_in" ? (suggested?.because(id, isNamed) ?? []) : [],
      fallback: step < 0 ? null : { step: step + 1, list: origin },
      promotion: promotion ?? null,
      moved_by_diversity: isMoved,
    };
  });
}

/** Returns what recommended an item, by where it comes from. */
export function engineOf(origin: Origin): Engine {
  return origin === "campaign" ? "personalize" : origin === "built_in" ? origin : "list";
}

/** Returns the id of the solution version that the campaign serves; null if it is not known. */
async function campaignVersion({ services, placement, call }: Visit): Promise<string | null> {
  const campaign = services.settings.campaigns[placement.recipe ?? "user_personalization"];
  if (campaign === undefined) return null;
  try {
    const [arn] = await services.pointers.read([versionParameter(campaign)], call.deadline);
    return arn?.split("/").at(-1) ?? null;
  } catch (error) {
    logFailure(services, call, "the version of the campaign could not be read", error);
    return null;
  }
}
