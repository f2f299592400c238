import { listOf } from "../../built-in/suggest.ts";
import type { ListRequest } from "../candidates/request.ts";

/** The most popular items, as of the last training. */
export const popular = {
  upstream: "the list of popular items",
  read: async (request: ListRequest) => [
    ...listOf([], (await request.services.popularItems(request.call.deadline)) ?? [], await known(request)),
  ],
};

/** Returns the items that no list has which comes from the built-in engine, or which follows its items. */
async function known({ settings, suggested }: ListRequest): Promise<ReadonlySet<string>> {
  const usesEngine = settings.engine === "built_in" || settings.fallback.some(({ list }) => list === "built_in");
  if (!usesEngine) return new Set();
  // The engine's own list says why it could not be read.
  return suggested().then(
    (found) => found.known,
    () => new Set(),
  );
}
