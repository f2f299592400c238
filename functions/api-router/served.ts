import { SEARCHES } from "../../lib/platform/contract/search.ts";
import { METHODS, post, type ServedRoute } from "../../lib/platform/http/route.ts";

/** The routes of the search gateway without their documents, which a running function does not need. */
export const served = {
  bulk: post("/application/bulk", "bulk", ["bulk"]),
  search: post("/application/search", "search", ["search"]),
  hybridSearch: post("/application/hybrid-search", "hybrid-search", ["hybrid-search"]),
  candidates: post("/application/hybrid-search/candidates", "hybrid-search", ["hybrid-search"]),
  suggest: post("/application/suggest", "suggest", ["suggest"]),
  mcp: post("/mcp", "mcp", SEARCHES),
  multiSearch: post("/application/multi-search", "multi-search", SEARCHES),
  rawBackend: {
    methods: METHODS,
    path: "/raw-backend/{proxy+}",
    family: "raw-backend",
    access: ["raw-backend", "administration"],
    nativeErrors: true,
  },
  rawBackendRoot: {
    methods: ["GET", "HEAD"],
    path: "/raw-backend",
    family: "raw-backend",
    access: ["raw-backend", "administration"],
    nativeErrors: true,
  },
} as const satisfies Readonly<Record<string, ServedRoute>>;
