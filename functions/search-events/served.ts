import { post, type ServedRoute } from "../../lib/platform/http/route.ts";

/** The route of search-events without its documents, which a running function does not need. */
export const served = {
  events: post("/application/events", "events", ["search-events"]),
} as const satisfies Readonly<Record<string, ServedRoute>>;
