import type { SearchRow } from "./dimensions.ts";
import { SEA } from "./documents.ts";
import { SHAPES } from "./shapes.ts";

/** The text of the search. */
export const TEXT = "salt harbour storm";

/** The same with typing errors: no document has these words. */
export const MISTYPED = "sallt harbur stormm";

export type Native = Record<string, unknown>;

/** What stands for the embeddings of the text in a query: tokens, or the embeddings themselves. */
export interface Vectors {
  /** Returns the query for the nearest vectors of a field. */
  knn(field: string, k: number, filter: object | undefined): object;
  /** The clauses of a bool. */
  clauses: unknown;
  tokens: unknown;
}

/** One subquery with the field of its embedding. */
export interface Subquery {
  query: object;
  field?: string;
}

/** Returns the keyword query, which asks for the special field of the mapping as well, and has the condition of the case. */
function keywords(row: SearchRow, text: string): object {
  const special = SHAPES[row.mapping].query(
    row.inner_hits === "yes" ? { inner_hits: { size: 2, _source: false } } : {},
  );
  const words = { bool: { must: [{ match: { text } }], should: [special] } };
  const between = (gte: number, lt: number) => ({
    range: { [row.derived === "yes" ? "derived_n" : "n"]: { gte, lt } },
  });
  const [first, second] = [between(UNFIT, 20), between(20, 100)];
  return {
    none: words,
    must: { bool: { must: [words, between(UNFIT, 100)] } },
    should: { bool: { must: [words], should: [first, second], minimum_should_match: 1 } },
    dis_max: {
      dis_max: {
        queries: [
          { bool: { must: [words], filter: [first] } },
          { bool: { must: [{ match: { text: "river" } }], filter: [second] } },
        ],
      },
    },
    subquery: { bool: { must: [words], filter: [between(UNFIT, 100)] } },
  }[row.condition];
}

/** The condition of a case lets documents through from this number on: not the first one, d0. */
const UNFIT = 1;

const KNN_FILTERS: Readonly<Record<SearchRow["knn_filter"], object | undefined>> = {
  none: undefined,
  range: { range: { year: { gte: 1903 } } },
  terms: { terms: { genre: ["sea", "wood"] } },
};

/** Returns the subqueries of a hybrid query. */
export function subqueriesOf(row: SearchRow, text: string, vectors: Vectors): Subquery[] {
  const dense = row.mapping === "vectors" && row.queries !== "KD" ? "title_dense" : "text_dense";
  let keywordQueries = 0;
  return [...row.queries].map((kind): Subquery => {
    if (kind === "D") return { query: vectors.knn(dense, 15, KNN_FILTERS[row.knn_filter]), field: dense };
    if (kind === "Q") return { query: { neural_sparse: { text_sparse: { query_tokens: vectors.tokens } } } };
    if (kind === "S") {
      const filter = [{ range: { year: { gte: 1905 } } }];
      return { query: { bool: { should: vectors.clauses, filter, minimum_should_match: 1 } } };
    }
    keywordQueries += 1;
    return { query: keywordQueries === 1 ? keywords(row, text) : { match: { text: { query: "caravan well" } } } };
  });
}

/** Returns the query of a search that is not hybrid. */
export const plainQuery = (row: SearchRow, text: string): object => keywords(row, text);

/** Returns the members of the body that ask for a page. */
export function pageOf({ page }: Pick<SearchRow, "page">): { from: number; size: number } {
  return {
    first: { from: 0, size: 10 },
    second: { from: 4, size: 5 },
    "size-0": { from: 0, size: 0 },
    search_after: { from: 0, size: 6 },
    deep: { from: 30, size: 10 },
    beyond: { from: 95, size: 10 },
    "point-in-time": { from: 0, size: 10 },
  }[page];
}

type Ordered = Pick<SearchRow, "sort" | "collapse" | "page">;

const hasOrder = ({ sort, collapse, page }: Ordered): boolean =>
  sort !== "none" || collapse !== "no" || page === "search_after";

type Piped = Pick<SearchRow, "pipeline" | "default_pipeline" | "queries">;

/** Whether a processor leaves out hits of each page. A pipeline of the request replaces that of the index, unless it is hybrid. */
export const isTruncated = ({ pipeline, default_pipeline, queries }: Piped): boolean =>
  pipeline === "truncate" || (default_pipeline === "truncate" && (pipeline === "none" || queries !== "plain"));

/** Whether pages are not cut from one list, and no order of the request's own keeps stages away from them. */
export const isCut = (row: Ordered & Piped): boolean => isTruncated(row) && !hasOrder(row);

/** Whether no stage changes the hits of a request: it says their order, or its pages are not cut from one list. */
export const isOwnOrder = (row: Ordered & Piped): boolean => hasOrder(row) || isCut(row);

const SUGGESTERS = {
  term: { spelling: { text: "hrbour", term: { field: "text", suggest_mode: "always" } } },
  phrase: {
    phrases: {
      text: "salt hrbour",
      phrase: { field: "text", direct_generator: [{ field: "text", suggest_mode: "always" }] },
    },
  },
  completion: { things: { prefix: "red", completion: { field: "done", size: 3 } } },
} as const;

/** Returns the members of the body besides query, page and pipeline, as a caller writes them. */
export function featuresOf(row: SearchRow): Native {
  const body: Native = {};
  if (row.sort === "year") body.sort = [{ year: "asc" }, { n: "asc" }];
  if (row.sort === "score") body.sort = [{ _score: "desc" }];
  if (row.derived === "yes") {
    body.derived = { derived_n: { type: "long", script: { source: "emit(doc['n'].value)" } } };
    if (row.stored_fields === "no") body.fields = ["derived_n"];
  }
  if (row.page === "search_after") body.search_after = [1904, 0];
  if (row.collapse !== "no") {
    const group = { name: "group", size: 2, sort: [{ n: "asc" }], _source: ["n"] };
    body.collapse = { field: "genre", ...(row.collapse === "inner_hits" && { inner_hits: group }) };
  }
  if (row.aggregations !== "no") {
    const top = { top_hits: { size: 1, sort: [{ n: "asc" }], _source: ["n"] } };
    const years = { avg: { field: "year" } };
    const aggs = row.aggregations === "top_hits" ? { top } : { years };
    body.aggs = { genres: { terms: { field: "genre", order: { _key: "asc" } }, aggs } };
  }
  if (row.highlight === "yes") body.highlight = { fields: { text: {} } };
  if (row.highlight === "passages") body.highlight = { fields: { text: {}, text_dense: {} } };
  if (row.explain === "yes") body.explain = true;
  if (row.profile === "yes") body.profile = true;
  if (row.stored_fields !== "no") body.stored_fields = row.stored_fields;
  if (row.docvalue_fields === "yes") body.docvalue_fields = ["n"];
  if (row.source === "year") body._source = ["year", "genre"];
  if (row.rescore === "yes") {
    body.rescore = { window_size: 6, query: { rescore_query: SEA, rescore_query_weight: 2 } };
  }
  if (row.suggest !== "no") body.suggest = SUGGESTERS[row.suggest];
  if (row.post_filter === "yes") body.post_filter = { range: { n: { gte: 4 } } };
  if (row.min_score === "yes") body.min_score = 0.3;
  if (row.track_total_hits !== "no") body.track_total_hits = row.track_total_hits === "5" ? 5 : false;
  return body;
}

/** Returns the caller's own response processors. */
export const processorsOf = ({ pipeline }: SearchRow): object[] =>
  ({
    none: [],
    rename: [{ rename_field: { field: "genre", target_field: "kind", ignore_missing: true } }],
    truncate: [{ truncate_hits: { target_size: 4 } }],
  })[pipeline];

/** The default search pipelines of indexes, by the value of the dimension. */
export const DEFAULT_PIPELINES: Readonly<Record<SearchRow["default_pipeline"], Record<string, object[]>>> = {
  none: {},
  rename: { response_processors: [{ rename_field: { field: "year", target_field: "when", ignore_missing: true } }] },
  truncate: { response_processors: [{ truncate_hits: { target_size: 4 } }] },
  // It lets the documents through that rules pin.
  filter: { request_processors: [{ filter_query: { query: { range: { n: { lte: 40 } } } } }] },
};
