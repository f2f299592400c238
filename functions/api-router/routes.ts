import type { Method, Route } from "../../lib/core/http/route.ts";
import { BulkRequest } from "../../lib/search/api/bulk/request.ts";
import { HybridRequest } from "../../lib/search/api/hybrid/request.ts";
import { SearchRequest } from "../../lib/search/api/search/request.ts";
import { BulkResponse, HybridResponse, SearchResponse } from "./responses.ts";

const ANY: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** The REST API of the search gateway. */
export const routes = [
  {
    methods: ["POST"],
    path: "/application/bulk",
    family: "bulk",
    summary: "Write documents",
    description:
      "Creates, replaces, updates and deletes documents in the order given. Embeddings of mapped fields are computed and stored.",
    request: BulkRequest,
    response: BulkResponse,
    example: {
      request: {
        index: "books",
        bulk_request: [
          { id: "b1", op: "index", doc: { title: "The Salt Road", description: "A caravan crosses a dead sea." } },
          { id: "b2", op: "delete" },
        ],
      },
    },
  },
  {
    methods: ["POST"],
    path: "/application/search",
    family: "search",
    summary: "Search",
    description: "Runs a native search body unchanged. For a known user the hits can be re-ranked.",
    request: SearchRequest,
    response: SearchResponse,
    example: { request: { index: "books", search_request: { query: { match: { title: "salt" } } } } },
  },
  {
    methods: ["POST"],
    path: "/application/hybrid-search",
    family: "hybrid-search",
    summary: "Search by words and by meaning",
    description:
      "Runs up to five subqueries whose scores are normalized and combined. A token such as [description_dense] is replaced with the embedding of search_query.",
    request: HybridRequest,
    response: HybridResponse,
    example: {
      request: {
        index: "books",
        search_query: "a caravan in the desert",
        search_request_template: {
          query: {
            hybrid: {
              queries: [
                { match: { description: "a caravan in the desert" } },
                { knn: { description_dense: { vector: "[description_dense]", k: 50 } } },
                { bool: { should: "[description_sparse]" } },
              ],
            },
          },
        },
        settings: { weights: [0.3, 0.4, 0.3] },
      },
    },
  },
  {
    methods: ANY,
    path: "/raw-backend/{proxy+}",
    family: "raw-backend",
    summary: "The cluster's own API",
    description:
      "Method, path, query and body reach the cluster unchanged, and its answer comes back unchanged. POST with the name of an index alone creates it, as PUT does.",
  },
  {
    methods: ["GET", "HEAD"],
    path: "/raw-backend",
    family: "raw-backend",
    summary: "The cluster's version",
    description: "GET / of the cluster, which its clients ask for.",
  },
] as const satisfies readonly Route[];
