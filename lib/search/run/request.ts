import * as v from "valibot";
import { MAX_ID } from "../../personalize/limits.ts";
import { FilterValues } from "../../personalize/runtime/filter-values.ts";
import { RequestContext } from "../../personalize/runtime/request-context.ts";
import { PERSONALIZATIONS } from "../../platform/contract/recommendation.ts";
import { MAX_SEGMENTS, NO_HITS, RULE_SETS, SEGMENT } from "../../platform/contract/search.ts";
import { objectSchema, recordSchema } from "../../platform/http/validate.ts";
import { isObject } from "../../platform/json/values.ts";
import { numeric } from "../../settings/kinds.ts";
import { Locale } from "../../settings/names.ts";
import { Rerank, Variety } from "../../settings/stage-values.ts";

/**
 * An index expression. Only in date math, which stands in angle brackets, a slash belongs to the expression: it rounds the
 * date, as in `<logs-{now/d}>`.
 */
const EXPRESSION = /^(?!_)(?!.*,_)(?!.*\.\.)(?:<[^\\\s?#%,<>]+>|[^/\\\s?#%<])+$/;

/** Index names, aliases and whatever else the cluster resolves to indexes. It reports whatever else is wrong with a name. */
export const IndexExpression = v.pipe(
  v.string(),
  v.nonEmpty("must not be empty"),
  v.maxLength(1_024, "must have at most 1,024 characters"),
  v.check(
    (name) => name.split(",").every((part) => !part.startsWith("_")),
    "must not start with _: that is an operation of the cluster, not an index",
  ),
  v.check(
    (name) => /^$|^_|,_/.test(name) || EXPRESSION.test(name),
    "must not hold a slash, blank, ?, #, % or ..; a slash may stand in date math such as <logs-{now/d}>",
  ),
  // The checks above as one pattern, for the OpenAPI document.
  v.metadata({ pattern: EXPRESSION.source }),
  v.description("One index, alias, data stream, date math, wildcard pattern, or comma-separated list of these."),
);

/** The rules that a search is made with. */
export const RuleSet = v.picklist(RULE_SETS);

/** Segments that a user belongs to. */
export const Segments = v.pipe(
  v.array(v.pipe(v.string(), v.regex(SEGMENT, "must be 1 to 64 letters, digits, _ and -"))),
  v.maxLength(MAX_SEGMENTS),
);

/** Whether the user's profile has a say. */
export const Personalization = v.picklist(PERSONALIZATIONS);

/** What becomes of a search that finds nothing. */
export const NoHitsChoice = v.picklist(NO_HITS);

/** A native search body. The cluster checks its content. */
export const NativeSearch = v.pipe(
  v.looseObject({}),
  v.description("A native search body. The cluster checks its content and answers 422 when it refuses it."),
);

export const BusinessRules = v.strictObject({
  is_personalized_enabled: v.pipe(
    v.nullish(v.boolean(), false),
    v.description("Whether the hits are re-ranked for `user_id`. Default: false."),
  ),
  personalization_weight: v.nullish(
    numeric(0, 1, "Share of the personal order in the result. Default: the configured weight."),
  ),
  personalization_context: v.nullish(recordSchema(RequestContext)),
  personalization_filter_values: v.nullish(recordSchema(FilterValues)),
});

/** Fields that search and hybrid search share. An optional field may be null, which means that it is absent. */
export const commonFields = {
  user_id: v.pipe(
    v.nullish(
      v.pipe(
        v.string(),
        v.nonEmpty("must not be empty"),
        v.maxLength(MAX_ID, `must have at most ${MAX_ID} characters`),
      ),
      null,
    ),
    v.description("The user who searches, for personalized ranking and the request log."),
  ),
  business_rules: v.nullish(objectSchema(BusinessRules), {}),
  personalization: v.pipe(
    v.nullish(Personalization),
    v.description("`none`: the order uses nothing that is known about the user. Default: `profile`."),
  ),
  is_logging_enable: v.pipe(
    v.nullish(v.boolean(), true),
    v.description("Whether the request log gets a line about this search. Default: true."),
  ),
  rerank: v.pipe(
    v.nullish(objectSchema(Rerank)),
    v.description(
      "Reranks the hits by the model that the index has in hybrid_search.yaml, also where that does so only for requests that ask.",
    ),
  ),
  variety: v.pipe(
    v.nullish(objectSchema(Variety)),
    v.description(
      "How similar hits are moved apart, in place of what the index has in hybrid_search.yaml; {} for not at all.",
    ),
  ),
  rule_set: v.pipe(
    v.nullish(RuleSet),
    v.description("The rules that apply: those in use, a draft of the next ones, or none. Default: current."),
  ),
  segments: v.pipe(
    v.nullish(Segments),
    v.description("Segments that the user belongs to, such as `vip`: rules may be for them."),
  ),
  synonyms: v.pipe(
    v.nullish(v.boolean()),
    v.description("Whether words are searched by their synonyms as well, if the index has any. Default: true."),
  ),
  locale: v.nullish(
    Locale("Whose synonyms are used, in place of those of the index's default locale: a tag such as `de-AT`."),
  ),
  explain_stages: v.pipe(
    v.nullish(v.boolean()),
    v.description("Whether the answer has `stages`: what each stage of the page did, and its time. Default: false."),
  ),
};

/** Values for the parameters of a named template. */
export const TemplateParams = v.pipe(
  v.looseObject({}),
  v.description(
    "Values, each of which replaces `[params.<name>]` in the template: of any kind, unless the template declares what they may be.",
  ),
);

/** A template of hybrid_search.yaml and its values. */
export const namedTemplateFields = {
  template: v.pipe(v.string(), v.maxLength(100), v.description("Name of a template in hybrid_search.yaml.")),
  params: v.nullish(objectSchema(TemplateParams), null),
};

const user_query = v.pipe(
  v.nullish(v.string()),
  v.description(
    "What the user typed, for the request log, which cannot find it in the body, and for the reranking. A template may need it.",
  ),
);

/** What becomes of a search without hits. */
export const no_hits = v.pipe(
  v.nullish(NoHitsChoice),
  v.description(
    "What becomes of a search without hits: nothing, `did_you_mean` tells another text, or that is searched for. Needs the endpoint `suggest`.",
  ),
);

/** A search with a body of its own. */
export const SearchRequest = v.strictObject({
  index: IndexExpression,
  search_request: objectSchema(NativeSearch),
  user_query,
  no_hits,
  ...commonFields,
});

/** A search that names its template. */
export const NamedSearchRequest = v.strictObject({
  index: IndexExpression,
  ...namedTemplateFields,
  user_query,
  no_hits,
  ...commonFields,
});

const absent = (reason: string) => v.nullish(v.never(reason));

const OwnBody = v.strictObject({
  ...SearchRequest.entries,
  template: absent("must not be beside search_request"),
  params: absent("must only be beside template"),
});

const NamedBody = v.strictObject({
  ...NamedSearchRequest.entries,
  search_request: absent("must not be beside template"),
});

/** The body of a search: it has a body of its own, or names a template. */
export const AnySearchRequest = v.lazy((input): typeof OwnBody | typeof NamedBody =>
  isObject(input) && input.template != null ? NamedBody : OwnBody,
);
export type AnySearchRequest = v.InferOutput<typeof AnySearchRequest>;
export type CommonFields = Pick<
  AnySearchRequest,
  | "user_id"
  | "business_rules"
  | "personalization"
  | "is_logging_enable"
  | "rerank"
  | "variety"
  | "rule_set"
  | "segments"
  | "synonyms"
  | "locale"
  | "explain_stages"
>;
