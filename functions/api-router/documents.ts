import * as v from "valibot";
import { MAX_SUBQUERIES, SEARCH_STAGES, TOTAL_RELATIONS } from "../../lib/core/contract/search.ts";
import {
  degradation,
  degradedList,
  ErrorAnswer,
  ErrorCode,
  ErrorDetail,
  Integer,
  Issue,
} from "../../lib/core/http/documents.ts";
import { Document, RefreshWaitFor } from "../../lib/search/api/bulk/request.ts";
import {
  AppliedHybridSettings,
  CandidatesRequest,
  Combination,
  HybridSettings,
  hybridFields,
  Normalization,
} from "../../lib/search/api/hybrid/request.ts";
import {
  BusinessRules,
  NamedSearchRequest,
  NativeSearch,
  namedTemplateFields,
  Rerank,
  RuleSet,
  SearchRequest,
  TemplateParams,
  Variety,
  VarietyGroups,
  VarietySimilarity,
} from "../../lib/search/api/search/request.ts";
import {
  BulkCreate,
  BulkDelete,
  BulkIndex,
  BulkOperation,
  BulkRequestDocument,
  BulkUpdate,
  bulkFields,
} from "./bulk-documents.ts";
import { BulkItem, BulkItemError, BulkItemResult, BulkResult, Shards } from "./bulk-result.ts";
import { ClusterError, ClusterErrorCause, RawErrorAnswer, RawErrorDetail } from "./raw-error.ts";
import {
  AppliedRule,
  ModelUsage,
  ruleList,
  SearchedSynonyms,
  StageMove,
  StageReport,
  stageList,
} from "./stage-documents.ts";

const Degradation = degradation(SEARCH_STAGES);

const NativeQuery = v.pipe(v.looseObject({}), v.minEntries(1), v.description("A native query."));

const HybridQuery = v.looseObject({
  queries: v.pipe(v.array(NativeQuery), v.minLength(1), v.maxLength(MAX_SUBQUERIES)),
});

const HybridTemplateQuery = v.strictObject({ hybrid: HybridQuery });

const Depth = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const HybridTemplate = v.pipe(
  v.looseObject({ query: HybridTemplateQuery, from: v.optional(Depth), size: v.optional(Depth) }),
  v.description(
    "A native search body whose query is one hybrid query. A token such as [description_dense] is replaced with the " +
      "embedding of `search_query`. The cluster checks the rest and answers 422 when it refuses it.",
  ),
);

const HybridSearchRequest = v.strictObject({ ...hybridFields, search_request_template: HybridTemplate });

const NamedHybridSearchRequest = v.strictObject({ ...hybridFields, ...namedTemplateFields });

/** The body of a search. */
export const SearchRequestDocument = v.union([SearchRequest, NamedSearchRequest]);

/** The body of a hybrid search. It documents what the handler checks after parsing. */
export const HybridRequestDocument = v.union([HybridSearchRequest, NamedHybridSearchRequest]);

const candidatesFields = { ...CandidatesRequest.entries, search_request_template: HybridTemplate };

/** The body of a request for candidates. It documents what the handler checks after parsing. */
export const CandidatesRequestDocument = v.strictObject(candidatesFields);

const SearchShards = v.looseObject({ ...Shards.entries, skipped: Integer });

/** The echoed request with the cluster's bulk answer. */
export const BulkAnswer = v.object({ ...bulkFields, index_response: BulkResult, degraded: degradedList(Degradation) });

const TotalHits = v.object({ value: Integer, relation: v.picklist(TOTAL_RELATIONS) });

const Hit = v.looseObject({
  _index: v.string(),
  _id: v.optional(v.pipe(v.string(), v.description('Absent only with `stored_fields: "_none_"`.'))),
  _score: v.nullable(v.number()),
  _source: v.optional(Document),
});

const Hits = v.looseObject({
  total: v.optional(TotalHits),
  max_score: v.nullable(v.number()),
  hits: v.array(Hit),
});

const searchResult = { took: Integer, timed_out: v.boolean(), _shards: SearchShards, hits: Hits };

const SearchResult = v.looseObject(searchResult);

const SearchProfile = v.looseObject({ shards: v.array(v.looseObject({})) });

const HybridSearchResult = v.looseObject({ ...searchResult, profile: SearchProfile });

const templateName = v.optional(v.pipe(v.string(), v.description("The name, if the request named its template.")));

/** The echoed request, with defaults filled in, and the cluster's answer. */
export const SearchAnswer = v.object({
  ...SearchRequest.entries,
  template: templateName,
  search_response: SearchResult,
  rules: ruleList,
  stages: stageList,
  degraded: degradedList(Degradation),
});

const AssignedVariant = v.object({
  name: v.pipe(v.string(), v.description("Name of the experiment.")),
  variant: v.pipe(v.string(), v.description("Name of the variant; `interleaved` if the hits are those of two.")),
  teams: v.optional(
    v.pipe(
      v.array(v.nullable(v.string())),
      v.description("Of interleaved hits: the variant that each hit of the page counts for; null for none."),
    ),
  ),
});

/** Like the answer to a search. The template also holds the search pipeline that was sent. */
export const HybridSearchAnswer = v.object({
  ...hybridFields,
  template: templateName,
  search_request_template: HybridTemplate,
  settings: AppliedHybridSettings,
  search_response: HybridSearchResult,
  experiment: v.optional(AssignedVariant),
  rules: ruleList,
  stages: stageList,
  degraded: degradedList(Degradation),
});

const Candidate = v.object({
  ...{ _index: v.string(), _id: v.string(), _score: v.number() },
  _doc: v.optional(
    v.pipe(Integer, v.description("The document's number on its shard, by which the cluster orders equal scores.")),
  ),
});

const ShardCandidates = v.object({
  hits: v.pipe(v.array(Candidate), v.description("Best first, at most `depth`.")),
});

const SubqueryCandidates = v.object({
  shards: v.pipe(v.array(ShardCandidates), v.description("One for each entry of `shards`, in its order.")),
});

const ShardName = v.object({ _index: v.string(), shard: Integer });

/** The candidates of each subquery. */
export const CandidatesAnswer = v.object({
  index: CandidatesRequest.entries.index,
  search_query: CandidatesRequest.entries.search_query,
  depth: Integer,
  opensearch_version: v.string(),
  shards: v.array(ShardName),
  subqueries: v.pipe(
    v.array(SubqueryCandidates),
    v.description("One for each subquery, in the order of the template."),
  ),
});

/** The names of this API's schemas in the OpenAPI document. */
export const schemaNames = {
  requests: {
    BulkRequest: BulkRequestDocument,
    BulkOperation,
    BulkIndex,
    BulkCreate,
    BulkUpdate,
    BulkDelete,
    RefreshWaitFor,
    Document,
    Search: SearchRequestDocument,
    SearchRequest,
    NamedSearchRequest,
    NativeSearch,
    BusinessRules,
    Rerank,
    RuleSet,
    Variety,
    VarietyGroups,
    VarietySimilarity,
    HybridSearch: HybridRequestDocument,
    HybridSearchRequest,
    NamedHybridSearchRequest,
    TemplateParams,
    CandidatesRequest: CandidatesRequestDocument,
    HybridTemplate,
    HybridTemplateQuery,
    HybridQuery,
    NativeQuery,
    HybridSettings,
    Normalization,
    Combination,
  },
  answers: {
    BulkAnswer,
    BulkOperation,
    BulkIndex,
    BulkCreate,
    BulkUpdate,
    BulkDelete,
    RefreshWaitFor,
    Document,
    BulkResult,
    BulkItem,
    BulkItemResult,
    BulkItemError,
    Shards,
    SearchAnswer,
    NativeSearch,
    AppliedBusinessRules: BusinessRules,
    Rerank,
    RuleSet,
    Variety,
    VarietyGroups,
    VarietySimilarity,
    HybridSearchAnswer,
    HybridTemplate,
    HybridTemplateQuery,
    HybridQuery,
    NativeQuery,
    AppliedHybridSettings,
    AssignedVariant,
    AppliedRule,
    StageReport,
    ModelUsage,
    StageMove,
    SearchedSynonyms,
    CandidatesAnswer,
    SubqueryCandidates,
    ShardCandidates,
    Candidate,
    ShardName,
    Normalization,
    Combination,
    SearchResult,
    HybridSearchResult,
    SearchProfile,
    SearchShards,
    Hits,
    Hit,
    TotalHits,
    Degradation,
    ClusterError,
    ClusterErrorCause,
    RawErrorAnswer,
    RawErrorDetail,
    ErrorAnswer,
    ErrorDetail,
    ErrorCode,
    Issue,
  },
};
