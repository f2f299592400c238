import type { ServedRoute } from "../../lib/platform/http/route.ts";

/** The routes of agents, and of what they call, without their documents. */
export const served = {
  placement: {
    methods: ["POST"],
    path: "/recommend-for-placement",
    family: "placements",
    access: ["recommend"],
  },
  mcp: {
    methods: ["POST"],
    path: "/mcp",
    family: "mcp",
    access: ["recommend"],
  },
} as const satisfies Readonly<Record<string, ServedRoute>>;
