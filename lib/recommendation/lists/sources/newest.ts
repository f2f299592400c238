import type { ListRequest } from "../candidates/request.ts";

/** The newest items, as of the last training. */
export const newest = {
  upstream: "the list of newest items",
  read: ({ services, call }: ListRequest) => services.newestItems(call.deadline),
};
