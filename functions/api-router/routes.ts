import type { Route } from "../../lib/platform/http/route.ts";
import { SuggestRequest } from "../../lib/search/suggest/request.ts";
import { BulkRequestDocument } from "./bulk-documents.ts";
import { CandidatesAnswer } from "./candidates-documents.ts";
import {
  BulkAnswer,
  CandidatesRequestDocument,
  HybridRequestDocument,
  HybridSearchAnswer,
  MultiSearchAnswer,
  MultiSearchRequestDocument,
  SearchAnswer,
  SearchRequestDocument,
  SuggestAnswer,
} from "./documents.ts";
import { served } from "./served.ts";

export { schemaNames } from "./documents.ts";

/** The REST API of the search gateway. */
export const routes = [
  {
    ...served.bulk,
    summary: "Write documents",
    description:
      "Creates, replaces, updates and deletes documents in the order given. Embeddings of mapped fields are computed and stored.",
    request: BulkRequestDocument,
    response: BulkAnswer,
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
    ...served.search,
    summary: "Search",
    description:
      "Runs a native search body unchanged, or a template of the configuration. The hits can be re-ranked for a known user.",
    request: SearchRequestDocument,
    response: SearchAnswer,
    example: { request: { index: "books", search_request: { query: { match: { title: "salt" } } } } },
  },
  {
    ...served.hybridSearch,
    summary: "Search by words and by meaning",
    description:
      "Runs up to five subqueries, normalizes their scores and combines them. A token such as [description_dense] is replaced with the embedding of search_query.",
    request: HybridRequestDocument,
    response: HybridSearchAnswer,
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
    ...served.candidates,
    summary: "Candidates of a hybrid search",
    description:
      "Returns the hits of each subquery on each shard with the cluster's own scores, from which a client computes the result of a hybrid search with any settings. Tuning uses it.",
    request: CandidatesRequestDocument,
    response: CandidatesAnswer,
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
              ],
            },
          },
        },
        depth: 50,
      },
    },
  },
  {
    ...served.suggest,
    summary: "Suggest as somebody types",
    description:
      "Completes what a user has typed so far, by what others searched for and by titles of documents. Typing errors are forgiven.",
    request: SuggestRequest,
    response: SuggestAnswer,
    example: { request: { index: "books", text: "salt ro" } },
  },
  {
    ...served.mcp,
    summary: "Tools for agents",
    description: "The Model Context Protocol: a tool for each template that the key may use.",
  },
  {
    ...served.multiSearch,
    summary: "Several searches",
    description:
      "Runs searches by templates of the configuration side by side, and returns each answer in its place: what the template's own endpoint answers, or its error. A search that fails does not change the others.",
    request: MultiSearchRequestDocument,
    response: MultiSearchAnswer,
    example: {
      request: {
        searches: [
          { index: "books", template: "by_title", user_query: "salt" },
          { index: "books", template: "title_and_meaning", search_query: "salt", params: { size: 3 } },
        ],
      },
    },
  },
  {
    ...served.rawBackend,
    summary: "The cluster's own API",
    description:
      "Forwards method, path, query and body to the cluster unchanged, and returns its answer unchanged. POST with only the name of an index creates it, as PUT does. NDJSON goes as application/x-ndjson. Generated clients encode slashes in `proxy`; use a client of OpenSearch for paths of several segments.",
  },
  {
    ...served.rawBackendRoot,
    summary: "The cluster's version",
    description: "Forwards GET / to the cluster, which clients of OpenSearch call first.",
  },
] as const satisfies readonly Route[];
