import * as fc from "fast-check";
import { BOOST } from "../search/boost.ts";
import { USER } from "../search/request.ts";
import { VARIETY } from "../search/variety.ts";
import { SEGMENTS, TEMPLATES, TENANTS, type TokenWorld } from "./world.ts";

type Tenant = (typeof TENANTS)[number];

/** A token's filter, and the tenants whose documents it leaves. */
interface TokenFilter {
  claim: object;
  tenants: readonly Tenant[];
}

/** The forms that a filter in a token can have. */
const FILTERS: readonly TokenFilter[] = [
  { claim: { tenant: "alpha" }, tenants: ["alpha"] },
  { claim: { tenant: ["bravo", "charlie"] }, tenants: ["bravo", "charlie"] },
  { claim: { range: { shelf: { gte: 1 } } }, tenants: ["bravo", "charlie"] },
  { claim: [{ tenant: ["alpha", "bravo"] }, { shelf: 1 }], tenants: ["bravo"] },
  { claim: { bool: { must_not: { term: { tenant: "bravo" } } } }, tenants: ["alpha", "charlie"] },
  { claim: { tenant: "delta" }, tenants: [] },
];

const QUERIES = {
  words: (text: string) => ({ match: { text } }),
  all: () => ({ match_all: {} }),
  should: (text: string) => ({ bool: { should: [{ match: { text } }, { match_all: {} }] } }),
  others: () => ({ ids: { values: ["alpha-0", "bravo-1", "charlie-2", "charlie-5"] } }),
  not: () => ({ bool: { must_not: { term: { tenant: "alpha" } } } }),
  dis_max: (text: string) => ({ dis_max: { queries: [{ match: { text } }, { terms: { tenant: [...TENANTS] } }] } }),
  function: (text: string) => ({
    function_score: { query: { match: { text } }, functions: [{ filter: { term: { tenant: "bravo" } }, weight: 9 }] },
  }),
} as const;

/** Members of a native body. */
const FEATURES = {
  sort: { sort: [{ year: "asc" }, { shelf: "asc" }] },
  collapse: { collapse: { field: "tenant", inner_hits: { name: "group", size: 3 } } },
  terms: {
    aggs: {
      tenants: {
        terms: { field: "tenant" },
        aggs: { top: { top_hits: { size: 2 } }, years: { avg: { field: "year" } } },
      },
    },
  },
  filters: { aggs: { own: { filters: { filters: { one: { term: { tenant: "bravo" } }, all: { match_all: {} } } } } } },
  counts: { aggs: { tenants: { cardinality: { field: "tenant" } }, ids: { value_count: { field: "shelf" } } } },
  highlight: { highlight: { fields: { text: {} } } },
  explain: { explain: true },
  fields: { fields: ["tenant", "text"], _source: false },
  docvalue_fields: { docvalue_fields: ["tenant"] },
  post_filter: { post_filter: { term: { genre: "sea" } } },
  min_score: { min_score: 0.2 },
  rescore: {
    rescore: { window_size: 5, query: { rescore_query: { term: { tenant: "charlie" } }, rescore_query_weight: 5 } },
  },
  uncounted: { track_total_hits: false },
} as const;

const STAGES = {
  rerank: { rerank: {} },
  boost: { boost: BOOST },
  variety: { variety: VARIETY },
  personalization: { business_rules: { is_personalized_enabled: true } },
  explain_stages: { explain_stages: true },
  filter: { filter: { range: { year: { gte: 1910 } } } },
} as const;

const keysOf = <T extends object>(table: T) => Object.keys(table) as Array<keyof T>;
const some = <T extends object>(table: T, maxLength: number) =>
  fc
    .subarray(keysOf(table), { maxLength })
    .map((keys) => Object.assign({}, ...keys.map((key) => table[key])) as object);

/** Words with typing errors, one of which only one tenant has. */
const MISTYPED = "sallt harbur bravvo";

const DRAWN = fc.record({
  endpoint: fc.constantFrom(
    ...([
      "search",
      "hybrid-search",
      "search",
      "hybrid-search",
      "candidates",
      "multi-search",
      "mcp",
      "suggest",
    ] as const),
  ),
  filter: fc.constantFrom(...FILTERS),
  /** Whether the token names the user; else the request does. */
  isUserBound: fc.boolean(),
  index: fc.constantFrom<keyof TokenWorld["indexes"]>("main", "main", "tried", "both", "alias"),
  text: fc.constantFrom("salt harbour storm", "oasis well n7", "bravo charlie lamp", MISTYPED),
  query: fc.constantFrom(...keysOf(QUERIES)),
  subqueries: fc.constantFrom("K", "KD", "D", "KDS", "DS", "KS"),
  isNearFiltered: fc.boolean(),
  features: some(FEATURES, 3).filter(
    (one) =>
      // The cluster refuses these, on shards that have work.
      !("rescore" in one && ("sort" in one || "collapse" in one)) &&
      // OpenSearch 3.6.0 counts values outside a `must_not` then, if a hybrid query has a subquery of optional clauses.
      !("sort" in one && "aggs" in one && one.aggs === FEATURES.counts.aggs),
  ),
  stages: some(STAGES, 3),
  segment: fc.option(fc.constantFrom(...SEGMENTS), { nil: undefined }),
  no_hits: fc.constantFrom("nothing", "tell", "search"),
  page: fc.constantFrom({ size: 10 }, ...[{ size: 5, from: 5 }, { size: 0 }, { size: 50 }, { size: 4, from: 16 }]),
  template: fc.constantFrom(...TEMPLATES.map(({ name }) => name)),
});

/** Mistyped words find nothing only without queries that find something anyway. */
const SEARCH = DRAWN.map((one) =>
  one.text === MISTYPED ? { ...one, query: "words" as const, subqueries: "K" as const } : one,
);

/** One search, which is sent with a token, and without one with the filter written by hand. */
export type TokenSearch = Omit<typeof SEARCH extends fc.Arbitrary<infer T> ? T : never, "text"> & { text: string };

/** Returns searches that the seed determines. */
export const tokenSearches = (count: number, seed: number): TokenSearch[] =>
  fc.sample(SEARCH, { seed, numRuns: count });

/** Returns path and body of a search. With `tenants`, the filter of the token is written by hand. */
export function requestOf(
  search: TokenSearch,
  indexes: TokenWorld["indexes"],
  tenants?: readonly string[],
): { path: string; body: object } {
  const { endpoint, text, page, features, stages, no_hits, segment, template } = search;
  const index = indexes[search.index];
  const own = tenants && { terms: { tenant: tenants } };
  // A pin may ignore what a query says, or pass it in one of several subqueries, but not the filter of the whole search.
  const hasPins = segment === "anyway" || segment === "pins";
  const inQuery = hasPins ? undefined : own;
  const words = QUERIES[search.query](text);
  const user = !search.isUserBound ? { user_id: USER } : {};
  const whole = hasPins && own && { filter: [own, "filter" in stages ? stages.filter : []].flat() };
  const fields = { ...stages, ...user, ...whole, ...(segment && { segments: [segment] }) };
  const native = { ...page, ...features };
  const hybridWith = (filter: object | undefined) => ({
    ...{ index, search_query: text },
    search_request_template: { ...native, query: { hybrid: { queries: subqueriesOf(search, words, filter) } } },
  });
  const named = { template: `${template}${tenants ? "-own" : ""}`, params: { ...page, ...(tenants && { tenants }) } };
  const plain = { index, user_query: text, search_request: { ...native, query: filtered(words, inQuery) } };
  switch (endpoint) {
    case "search":
      return { path: "/application/search", body: { ...plain, ...fields, no_hits } };
    case "hybrid-search":
      return { path: "/application/hybrid-search", body: { ...hybridWith(inQuery), ...fields, no_hits } };
    case "candidates":
      return { path: "/application/hybrid-search/candidates", body: hybridWith(own) };
    case "multi-search": {
      const searches = TEMPLATES.map(({ name }) => ({
        ...{ index, template: `${name}${tenants ? "-own" : ""}`, params: named.params, ...stages, ...user },
        ...{ [name === "mixed" ? "search_query" : "user_query"]: text },
      }));
      return { path: "/application/multi-search", body: { searches } };
    }
    case "mcp": {
      const arguments_ = { index, query: text, params: { size: page.size, ...(tenants && { tenants }) } };
      const params = { name: `search_${named.template}`, arguments: arguments_ };
      return { path: "/mcp", body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } };
    }
    case "suggest":
      return { path: "/application/suggest", body: { index, text: text.slice(0, 2) } };
  }
}

const filtered = (query: object, filter: object | undefined): object =>
  filter ? { bool: { must: [query], filter: [filter] } } : query;

function subqueriesOf(
  { subqueries, isNearFiltered }: TokenSearch,
  words: object,
  filter: object | undefined,
): object[] {
  const near = [isNearFiltered ? { terms: { genre: ["sea", "wood", "city"] } } : [], filter ?? []].flat();
  const byKind: Readonly<Record<string, object>> = {
    K: filtered(words, filter),
    D: {
      knn: {
        text_dense: { vector: "[text_dense]", k: 15, ...(near.length > 0 && { filter: { bool: { filter: near } } }) },
      },
    },
    S: { bool: { should: "[text_sparse]", ...(filter && { filter: [filter] }) } },
  };
  return [...subqueries].map((kind) => byKind[kind] ?? {});
}
