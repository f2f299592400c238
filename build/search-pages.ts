import type { SEARCH_STAGES } from "../lib/platform/contract/search.ts";
import { nativeCalls } from "../lib/search/access/calls.ts";
import type { Rule } from "../lib/search/access/names.ts";
import { PROCESSORS } from "../lib/search/access/scripts.ts";
import { PAGE_MEMBERS } from "../lib/search/access/templates.ts";
import { CALLERS_FAULTS } from "../lib/search/opensearch/calls.ts";
import { meanings, page, tableSection } from "./reference-page.ts";

const DEGRADED: Readonly<Record<(typeof SEARCH_STAGES)[number], string>> = {
  embedding:
    "a subquery was left out and the other weights scaled. With `on_embedding_failure.query: fail`, and if none is left, a 503",
  passages: "no [best passages](../guides/passages.md#the-best-passage)",
  synonyms: "documents with [synonyms](../guides/synonyms.md#when-synonyms-cannot-be-used) may be missing",
  interleaving: "hits of one variant of an experiment only",
  rerank: "not reranked",
  personalization: "not ranked for the user",
  boost: "not boosted",
  variety: "similar hits are not moved apart",
  rules: "without [rules](../guides/rules.md), their filters or pinned documents, or with earlier rules",
  profile: "no profile (hybrid: OpenSearch 3.6)",
  explanation:
    "scores of subqueries only: the cluster cannot explain the fused one with `rescore` or `from` nor, before OpenSearch 3.8, with nested fields or an alias with a filter",
  collapse: "not grouped (hybrid: OpenSearch 3.1)",
  depth: "documents beyond the candidates are on no page",
  totals: "the total is a lower bound (`gte`), and aggregations lack documents",
  suggestions:
    "no [suggestions](../guides/suggest.md) yet, or no [other text](../guides/suggest.md#searches-without-hits) was searched for",
  shards: "some shards failed: hits, totals and aggregations are partial",
  timed_out: "the same, because the cluster's time ended: the request's own timeout, or about 26 seconds",
};

/** Returns docs/reference/degraded.md: what `degraded` says of searches, and wrong searches that the cluster answers with 500. */
export function degradedReference(): string {
  return page(
    "Partial answers and wrong searches",
    "See [Searching](../guides/search.md#partial-answers). The cluster answers some wrong searches with 500 or 503, as [`/raw-backend`](../guides/raw-backend.md) does; plain and hybrid search make them 422.",
    [
      tableSection("`degraded` of a search", ["`stage`", "what the answer lacks"], meanings(DEGRADED)),
      tableSection(
        "Wrong searches",
        ["`cause.type`", "the request has"],
        CALLERS_FAULTS.map(({ type, request }) => [`\`${type}\``, request]),
      ),
    ],
  );
}

const RULES: Readonly<Record<Rule, string>> = {
  endpoint: "a call that the key may not make",
  deny: "a call of `raw_backend.deny`",
  "dot-index": "a name with a dot at the start",
  index: "a name outside `indexes`",
  "every-index": "`_all`, or no name at all",
  wildcard: "a wildcard in a write",
  hidden: "`expand_wildcards` with `hidden` or `all`",
  "date-math": "date math that is not plain",
  name: "text that is not a name",
  parameter: "a parameter that is not known to be harmless, such as `index` and `source`",
  "content-type": "a body that is not declared to be JSON",
  body: "a body that is not plain JSON without duplicate keys, or that the gateway cannot check",
  alias: "`remove_index`, and aliases of keys with `indexes`",
  setting: "settings beyond the index, too large values, pipelines",
  analysis: "[analyzers](#analyzers-and-settings) that block nodes or read their files",
  script: "[scripts](#scripts), and those of `_reindex` for every limited key",
  limit: "more than [`limits`](#limits) allows",
  remote: "`_reindex` from another cluster, and names of remote clusters",
  template: "what hides a query; for a key with `templates`, every other search",
  pipeline: "a pipeline, which changes a query or its documents",
  token: "for a key with `indexes`, a query that reads a document of an index by its name",
  "open-search": "scroll and point in time of keys with `indexes`; ending those of others",
  task: "a task of another key",
};

const SCRIPTS: Readonly<Record<string, string>> = {
  search:
    "`script_fields`, `_script` sort, `derived`, `script` and `script_score` queries, scripts of `function_score`, `terms_set` and `intervals`, also in filters, `rescore`, highlighting and `wrapper`; stored scripts and exact k-NN (`knn_score`)",
  aggregations:
    "`scripted_metric`, `bucket_script`, `bucket_selector`, `moving_fn`, `script_heuristic`, a `script` in any other",
  "what hides a query":
    "`collate` of a suggester, search templates, `template` queries with placeholders, `agentic` queries",
  "pipelines inside a search": `processors other than ${[...PROCESSORS].map((name) => `\`${name}\``).join(", ")}, and \`rerank\` by a field`,
  writes: "scripts of `_update`, `_update_by_query` and update actions of `_bulk`",
  indexes:
    "scripts in token filters (`condition`, `predicate_token_filter`), in `similarity`, `derived` and alias filters; fields of type `percolator`, whose documents hold queries",
};

const LONG_FORMS: Readonly<Record<string, string>> = {
  '{"terms": {"script": "x"}}': '`{"terms": {"script": ["x"]}}`',
  '{"range": {"script": "x"}}': '`{"range": {"script": {"gte": "x"}}}`',
  '{"term": {"script": "x"}} in a template': '`{"term": {"script": {"value": "x"}}}`',
  "a terms lookup of the field script": '`{"bool": …}` with the values',
  "a query on a field named index": '`{"term": {"index": {"value": "x"}}}`',
};

const ANALYSIS: ReadonlyArray<readonly string[]> = [
  [
    "parameters",
    "that name files (`synonyms_path`, `user_dictionary`) or are unknown: write rules and words into the settings",
  ],
  ["types", "`hunspell`, `hyphenation_decompounder`, `icu_collation`, `condition`, `predicate_token_filter`"],
  [
    "patterns",
    "that do not match in linear time: only the last part may repeat without a limit, and no group. `[^a-z]+`, `(\\d{1,9})-` and `@(.+)` are accepted; `(\\d+)-`, `\\s+$` and `(a|b)*` are not",
  ],
  [
    "analyzers",
    "that make more than 256 tokens of one (an `ngram` filter from 2 to 20 makes 19, with a `shingle` filter 38)",
  ],
  ["settings", "above a maximum, such as `max_result_window` 1,000,000 and `number_of_replicas` 10"],
];

const LIMITS: Readonly<Record<string, string>> = {
  window: "also `size` of batches, `ef_search`, `nprobes`, and `depth` of `candidates`",
  aggregation_size:
    'also `shard_size`, `buckets` and `initial_buffer`. A `histogram`, or a `date_histogram` of less than a day, needs `"min_doc_count": 1`, or `hard_bounds` that allow at most as many buckets (`extended_bounds` count alike): else the cluster creates every empty bucket. Bounds of dates are numbers, `2026-07-01` or `now-30d/d`',
  clauses:
    'also `max_expansions` and `max_query_terms`. A clause is an object whose only member is an object, such as `{"term": {…}}`; values of `terms` and `ids` do not count, nor what the gateway adds. A named template counts as a whole',
  searches: "also `slices` and `max_concurrent_*`",
};

/** Calls that the gateway answers differently from the cluster, and how and why. */
export const RAW_DIFFERENCES = {
  "`POST /<index>`": ["the index is created", "the cluster takes only PUT"],
  "`OPTIONS`": ["405; with `cors`, API Gateway's own answer", "browsers ask with it whether they may call"],
  "`.` and `..` in a path": ["400", "a proxy may resolve them, past the rules"],
  "broken percent-encoding": ["400", "it could not be checked"],
  "a forwarded header over 1,024 bytes": ["400", "long headers break connections that calls share"],
  "a search in UTF-16 or UTF-32": ["400", "it could not be checked"],
  "YAML, CBOR and Smile": ["415", "it could not be checked"],
  "nesting deeper than 400 levels": ["400", "a stack overflow ends the node"],
  "a regular expression that needs too much memory": [
    "400",
    "`a*{100}{100}` ends the node. With repetitions written out: 10,000 characters, 1,000 in repeated parts that may match nothing",
  ],
  "a body of `_termvectors` that is not an object": ["400", "the cluster loses a thread with each call"],
  "text that is not valid Unicode": ["400", "two ids could become one"],
  "a body over 4 MiB": ["413", "the limit of a Lambda event"],
} as const;

/** Returns docs/reference/refusals.md: what the gateway refuses, by key and by call. */
export function refusalsReference(): string {
  const limit = (bound: (typeof PAGE_MEMBERS)[string]) =>
    bound === "schema" ? "as for every key" : `${bound} characters`;
  return page(
    "What the gateway refuses",
    "[Access](../guides/access.md) says which key is limited. A refused call is 403 `forbidden`, and `cause.rule` names the rule.",
    [
      tableSection("Rules", ["`rule`", "refuses"], meanings(RULES)),
      tableSection(
        "Recommended calls",
        ["call", "methods", "wildcards", "for a key with `indexes`"],
        nativeCalls("application").map(({ segments, methods, wildcards, unbounded }) => [
          `\`/${segments.join("/")}\``,
          [...methods].join(", "),
          wildcards ? "yes" : "",
          unbounded === undefined ? "" : "refused",
        ]),
      ),
      tableSection(
        "Searches of a key with templates",
        ["may send, beside values of declared parameters", "limit"],
        Object.entries(PAGE_MEMBERS).map(([name, bound]) => [`\`${name}\``, limit(bound)]),
      ),
      tableSection("Scripts", ["part", "refused without `scripts: true`"], Object.entries(SCRIPTS)),
      tableSection("Names that look like a script or a lookup", ["instead of", "write"], meanings(LONG_FORMS)),
      tableSection("Analyzers and settings", ["part", "refused to a limited key"], ANALYSIS),
      tableSection(
        "Limits",
        ["`limits`", "what it limits besides"],
        [
          ...meanings(LIMITS),
          [
            "always refused",
            "`max_determinized_states`, `lag`, `window`, `predict` and `number_of_fragments` over 10,000, `compression` over 1,000; in a phrase suggester `max_errors` over 2 or a `direct_generator` of more than 20 candidates",
          ],
        ],
      ),
      tableSection(
        "Differences from the cluster's API",
        ["call of `/raw-backend`", "answer", "reason"],
        Object.entries(RAW_DIFFERENCES).map(([call, [answer, reason]]) => [call, answer, reason]),
      ),
    ],
  );
}
