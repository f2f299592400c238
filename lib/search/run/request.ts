import * as v from "valibot";
import { MAX_ID } from "../../personalize/limits.ts";
import { NO_HITS } from "../../platform/contract/search.ts";
import { objectSchema } from "../../platform/http/validate.ts";
import { memberSlices } from "../../platform/json/slices.ts";
import { isObject } from "../../platform/json/values.ts";
import { stageMembers } from "../stages/table.ts";

/**
 * An index expression. A slash is allowed only in date math (in angle brackets), where it rounds the date, as in
 * `<logs-{now/d}>`.
 */
const EXPRESSION = /^(?!_)(?!.*,_)(?!.*\.\.)(?:<[^\\\s?#%,<>]+>|[^/\\\s?#%<])+$/;

/** Index names, aliases and other expressions that the cluster resolves to indexes. Reports every problem of a name. */
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

/** The action for a search without hits. */
export const NoHitsChoice = v.picklist(NO_HITS);

/** A native search body. The cluster checks its content. */
export const NativeSearch = v.pipe(
  v.looseObject({}),
  v.description("A native search body. The cluster checks its content and answers 422 when it refuses it."),
);

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
  ...stageMembers,
  is_logging_enable: v.pipe(
    v.nullish(v.boolean(), true),
    v.description("Whether the request log gets a line about this search. Default: true."),
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

/** The action for a search without hits. */
export const no_hits = v.pipe(
  v.nullish(NoHitsChoice),
  v.description(
    "What becomes of a search without hits: nothing, `did_you_mean` tells another text, or that is searched for. Needs the endpoint `suggest`.",
  ),
);

/** A native query that documents match. */
export const FilterClause = v.pipe(
  v.looseObject({}),
  v.description('A native query, such as `{"term": {"language": "en"}}`.'),
);

/** Filters of the whole search. */
export const filter = v.pipe(
  v.nullish(
    v.union([
      objectSchema(FilterClause),
      v.pipe(v.array(objectSchema(FilterClause)), v.minLength(1), v.maxLength(100)),
    ]),
  ),
  v.description(
    "A native query, or several, that every document of the answer matches: hits of all subqueries, totals, facets, pinned documents, and what another text finds.",
  ),
);

/** Returns the text of a request's filter of the whole search, in which numbers are as written. */
export function filterText({ body, text }: { body: { filter?: unknown }; text: string }): string | undefined {
  const slice = body.filter == null ? undefined : memberSlices(text).get("filter");
  return slice && text.slice(slice.start, slice.end);
}

/** A search with a body of its own. */
export const SearchRequest = v.strictObject({
  index: IndexExpression,
  search_request: objectSchema(NativeSearch),
  user_query,
  filter,
  no_hits,
  ...commonFields,
});

/** A search that names its template. */
export const NamedSearchRequest = v.strictObject({
  index: IndexExpression,
  ...namedTemplateFields,
  user_query,
  filter,
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

/** The body of a search, which has either a native body or the name of a template. */
export const AnySearchRequest = v.lazy((input): typeof OwnBody | typeof NamedBody =>
  isObject(input) && input.template != null ? NamedBody : OwnBody,
);
export type AnySearchRequest = v.InferOutput<typeof AnySearchRequest>;

/** Members that all searches share. */
export type CommonFields = v.InferOutput<v.StrictObjectSchema<typeof commonFields, undefined>>;
