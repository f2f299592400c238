import * as v from "valibot";
import { FilterValues, RequestContext } from "../../lib/personalize/runtime/request-members.ts";
import { MAX_SUBQUERIES, SEARCH_STAGES, TOTAL_RELATIONS } from "../../lib/platform/contract/search.ts";
import {
  degradation,
  degradedList,
  ErrorAnswer,
  ErrorCode,
  ErrorDetail,
  Integer,
  Issue,
} from "../../lib/platform/http/documents.ts";
import { Document, RefreshWaitFor } from "../../lib/search/bulk/request.ts";
import { MAX_SEARCHES } from "../../lib/search/run/multi-search.ts";
import {
  FilterClause,
  NamedSearchRequest,
  NativeSearch,
  NoHitsChoice,
  namedTemplateFields,
  SearchRequest,
  TemplateParams,
} from "../../lib/search/run/request.ts";
import {
  AppliedHybridSettings,
  CandidatesRequest,
  HybridSettings,
  hybridFields,
} from "../../lib/search/sources/hybrid/request.ts";
import { BusinessRules, Personalization } from "../../lib/search/stages/personalization.ts";
import { RuleSet } from "../../lib/search/stages/rules.ts";
import { SuggestRequest } from "../../lib/search/suggest/request.ts";
import { Boost, BoostDecay, BoostFactor, BoostNumber } from "../../lib/settings/boost.ts";
import { Combination, Normalization } from "../../lib/settings/fusion-settings.ts";
import { Rerank, Variety, VarietyGroups, VarietySimilarity } from "../../lib/settings/stage-values.ts";
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
import { Candidate, CandidatesAnswer, ShardCandidates, ShardName, SubqueryCandidates } from "./candidates-documents.ts";
import { AssignedVariant } from "./experiment-documents.ts";
import { ClusterError, ClusterErrorCause, RawErrorAnswer, RawErrorDetail } from "./raw-error.ts";
import {
  AppliedRule,
  ModelUsage,
  ruleList,
  ScoreFactor,
  SearchedSynonyms,
  StageMove,
  StageReport,
  StageScore,
  stageList,
} from "./stage-documents.ts";
import { DidYouMean, LeftOutSource, Suggestion, SuggestionSource, suggestAnswer } from "./suggest-documents.ts";

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

const DID_YOU_MEAN = "Another text, if the search has no hits and `no_hits` asks for it.";
const did_you_mean = v.optional(v.pipe(DidYouMean, v.description(DID_YOU_MEAN)));

/** In answers, where fields with a default are always present. */
const AppliedBusinessRules = v.strictObject(BusinessRules.entries);

/** The echoed request, with defaults filled in, and the cluster's answer. */
export const SearchAnswer = v.object({
  ...SearchRequest.entries,
  business_rules: AppliedBusinessRules,
  template: templateName,
  search_response: SearchResult,
  did_you_mean,
  rules: ruleList,
  stages: stageList,
  degraded: degradedList(Degradation),
});

/** Like the answer to a search. The template also holds the search pipeline that was sent. */
export const HybridSearchAnswer = v.object({
  ...hybridFields,
  business_rules: AppliedBusinessRules,
  template: templateName,
  search_request_template: HybridTemplate,
  settings: AppliedHybridSettings,
  search_response: HybridSearchResult,
  did_you_mean,
  experiment: v.optional(AssignedVariant),
  rules: ruleList,
  stages: stageList,
  degraded: degradedList(Degradation),
});

/** The body of a request with several searches. It documents what the handler checks one by one. */
export const MultiSearchRequestDocument = v.strictObject({
  searches: v.pipe(
    v.array(v.union([NamedSearchRequest, NamedHybridSearchRequest])),
    v.minLength(1),
    v.maxLength(MAX_SEARCHES),
    v.description("Each is the body of the request that the template's own endpoint takes."),
  ),
});

const MultiSearchResult = v.object({
  status: v.pipe(Integer, v.description("The status that the search would have had alone.")),
  query_id: v.optional(v.pipe(v.string(), v.description("The header `x-query-id` of the search, if it succeeded."))),
  answer: v.optional(
    v.pipe(v.union([SearchAnswer, HybridSearchAnswer]), v.description("The search's own answer, if it succeeded.")),
  ),
  error: v.optional(v.pipe(ErrorDetail, v.description("Why the search failed, if it did."))),
});

/** The answers of several searches. */
export const MultiSearchAnswer = v.object({
  results: v.pipe(v.array(MultiSearchResult), v.description("One for each search, in the order of the request.")),
});

/** Suggestions for what somebody has typed so far. */
export const SuggestAnswer = v.object({ ...suggestAnswer, degraded: degradedList(Degradation) });

/** The names of this API's schemas in the OpenAPI document. */
export const schemaNames = {
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
  FilterClause,
  NativeSearch,
  BusinessRules,
  FilterValues,
  RequestContext,
  Rerank,
  RuleSet,
  Personalization,
  NoHitsChoice,
  Boost,
  BoostFactor,
  BoostDecay,
  BoostNumber,
  Variety,
  VarietyGroups,
  VarietySimilarity,
  HybridSearch: HybridRequestDocument,
  HybridSearchRequest,
  NamedHybridSearchRequest,
  TemplateParams,
  MultiSearch: MultiSearchRequestDocument,
  CandidatesRequest: CandidatesRequestDocument,
  SuggestRequest,
  HybridTemplate,
  HybridTemplateQuery,
  HybridQuery,
  NativeQuery,
  HybridSettings,
  Normalization,
  Combination,
  BulkAnswer,
  BulkResult,
  BulkItem,
  BulkItemResult,
  BulkItemError,
  Shards,
  SearchAnswer,
  AppliedBusinessRules,
  HybridSearchAnswer,
  AppliedHybridSettings,
  AssignedVariant,
  AppliedRule,
  StageReport,
  ModelUsage,
  StageMove,
  StageScore,
  ScoreFactor,
  SearchedSynonyms,
  MultiSearchAnswer,
  MultiSearchResult,
  CandidatesAnswer,
  SuggestAnswer,
  DidYouMean,
  Suggestion,
  SuggestionSource,
  LeftOutSource,
  SubqueryCandidates,
  ShardCandidates,
  Candidate,
  ShardName,
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
};
