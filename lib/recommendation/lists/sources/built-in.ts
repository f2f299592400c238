import type { ListRequest } from "../candidates/request.ts";

/** The recommendations of the built-in engine. */
export const builtIn = {
  upstream: "the built-in engine",
  read: async ({ suggested }: ListRequest) => (await suggested()).itemIds,
};
