import { failureOf } from "../../platform/aws/store-failure.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { learnsFrom } from "../built-in/learned-events.ts";
import { BETWEEN_RUNS, recentKey } from "../clients/built-in-table.ts";
import type { Undelivered } from "../clients/realtime.ts";
import type { StoredEvent } from "../records/layout.ts";
import type { RecommendationServices } from "../service/services.ts";

/**
 * Maximum recent items of a user between two trainings; each addition rewrites the list, at one DynamoDB write unit per
 * kilobyte of it.
 */
const MOST_ITEMS = 500;

const DAY = 86_400;

/** Seconds for which items are kept if no training comes. */
const KEPT = 30 * DAY;

/**
 * Keeps the items of events for the built-in engine's next lists, by user or, before a login, by session. Leaves out
 * events that are older than a day: they come from an upload of history, which only a training can learn from. Of two
 * requests for one user at the same time, one may be missing until the next training.
 */
export async function keepRecentItems(
  services: Pick<RecommendationServices, "settings" | "builtIn" | "writeRecent" | "now">,
  events: readonly StoredEvent[],
  deadline: Deadline,
): Promise<Undelivered> {
  const now = Math.floor(services.now() / 1_000);
  const learns = learnsFrom(services.settings.learned_events);
  const recent = events.filter((event) => event.TIMESTAMP > now - DAY && learns(event));
  const byUser = Map.groupBy(
    recent.toSorted((a, b) => b.TIMESTAMP - a.TIMESTAMP),
    ({ USER_ID }) => recentKey(USER_ID),
  );
  if (byUser.size === 0) return undefined;
  try {
    const known = await services.builtIn([...byUser.keys()], deadline);
    const records = [...byUser].map(([KEY, own]) => {
      const items = new Set([...own.map(({ ITEM_ID }) => ITEM_ID), ...(known.get(KEY)?.ITEMS ?? [])]);
      return { KEY, RUN: BETWEEN_RUNS, ITEMS: [...items].slice(0, MOST_ITEMS), EXPIRES: now + KEPT };
    });
    await services.writeRecent(records, deadline);
    return undefined;
  } catch (error) {
    return { count: recent.length, ...failureOf("the table of the built-in engine", error) };
  }
}
