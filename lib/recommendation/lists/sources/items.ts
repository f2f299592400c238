import type { ListRequest } from "../candidates/request.ts";

/** Items that are listed in the configuration. */
export const items = {
  upstream: "the list of chosen items",
  read: async (_: ListRequest, { item_ids }: { item_ids: readonly string[] }) => item_ids,
};
