import type { ListRequest } from "../candidates/request.ts";

/** Items that somebody chose. */
export const items = {
  upstream: "the list of chosen items",
  read: async (_: ListRequest, { item_ids }: { item_ids: readonly string[] }) => item_ids,
};
