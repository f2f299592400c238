import type { ServedRoute } from "../../lib/platform/http/route.ts";

/** The route of search-events without its documents, which a running function does not need. */
export const served = {
  events: {
    methods: ["POST"],
    path: "/application/events",
    family: "events",
    access: ["search-events"],
  },
} as const satisfies Readonly<Record<string, ServedRoute>>;
