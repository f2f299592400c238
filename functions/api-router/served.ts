import { SEARCHES } from "../../lib/platform/contract/search.ts";
import { METHODS, type ServedRoute } from "../../lib/platform/http/route.ts";

/** The routes of the search gateway without their documents, which a running function does not need. */
export const served = {
  bulk: {
    methods: ["POST"],
    path: "/application/bulk",
    family: "bulk",
    access: ["bulk"],
  },
  search: {
    methods: ["POST"],
    path: "/application/search",
    family: "search",
    access: ["search"],
  },
  hybridSearch: {
    methods: ["POST"],
    path: "/application/hybrid-search",
    family: "hybrid-search",
    access: ["hybrid-search"],
  },
  candidates: {
    methods: ["POST"],
    path: "/application/hybrid-search/candidates",
    family: "hybrid-search",
    access: ["hybrid-search"],
  },
  suggest: {
    methods: ["POST"],
    path: "/application/suggest",
    family: "suggest",
    access: ["suggest"],
  },
  mcp: {
    methods: ["POST"],
    path: "/mcp",
    family: "mcp",
    access: SEARCHES,
  },
  multiSearch: {
    methods: ["POST"],
    path: "/application/multi-search",
    family: "multi-search",
    access: SEARCHES,
  },
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
