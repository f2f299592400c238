import { listOf } from "../../built-in/suggest.ts";
import type { ListRequest } from "../candidates/request.ts";

/** The most popular items, as of the last training. */
export const popular = {
  upstream: "the list of popular items",
  read: async (request: ListRequest) => [
    ...listOf([], (await request.services.popularItems(request.call.deadline)) ?? [], await known(request)),
  ],
};

/** Returns the items excluded from every list that comes from the built-in engine or follows its items. */
async function known({ settings, suggested }: ListRequest): Promise<ReadonlySet<string>> {
  const usesEngine = settings.engine === "built_in" || settings.fallback.some(({ list }) => list === "built_in");
  if (!usesEngine) return new Set();
  // The source of the built-in engine reports read errors itself, so they are ignored here.
  return suggested().then(
    (found) => found.known,
    () => new Set(),
  );
}
