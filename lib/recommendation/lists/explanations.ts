import type { Engine } from "../../platform/contract/recommendation.ts";
import { versionParameter } from "../../platform/naming/version-parameter.ts";
import { logFailure } from "../service/reply.ts";
import type { Arranged } from "./arrange.ts";
import type { Origin } from "./candidates/candidates.ts";
import type { ListRequest } from "./candidates/request.ts";

/**
 * Returns the reason for each item of a list. The reasons reveal what a user did, and some callers can name any user,
 * so `isNamed` says which items may be disclosed.
 */
export async function explanations(
  request: ListRequest,
  isNamed: (itemId: string) => boolean,
  list: readonly Arranged[],
) {
  const { recipe, engine: source, fallback } = request.settings;
  const version = list.some(({ origin }) => origin === "campaign") ? await campaignVersion(request) : null;
  const suggested = list.some(({ origin }) => origin === "built_in") ? await request.suggested() : undefined;
  return list.map(({ id, origin, promotion, isMoved }) => {
    const engine = engineOf(origin);
    const isSource = origin === "campaign" || origin === source;
    const step = isSource ? -1 : fallback.findIndex(({ list }) => list === origin);
    return {
      item_id: id,
      engine,
      version: { personalize: version, built_in: suggested?.run ?? null, list: null }[engine],
      recipe: isSource ? (recipe ?? null) : null,
      because_of: engine === "built_in" ? (suggested?.because(id, isNamed) ?? []) : [],
      fallback: step < 0 ? null : { step: step + 1, list: origin },
      promotion: promotion ?? null,
      moved_by_diversity: isMoved,
    };
  });
}

/** Returns the engine that recommended an item, by its origin. */
export function engineOf(origin: Origin): Engine {
  return origin === "campaign" ? "personalize" : origin === "built_in" ? origin : "list";
}

/** Returns the id of the solution version that the campaign serves; null if it is not known. */
async function campaignVersion({ services, settings, call }: ListRequest): Promise<string | null> {
  const campaign = services.settings.campaigns[settings.recipe ?? "user_personalization"];
  if (campaign === undefined) return null;
  try {
    const [arn] = await services.pointers.read([versionParameter(campaign)], call.deadline);
    return arn?.split("/").at(-1) ?? null;
  } catch (error) {
    logFailure(services, call, "the version of the campaign could not be read", error);
    return null;
  }
}
