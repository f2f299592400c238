import type { Constraint } from "../array.ts";
import type { SEARCH, SearchRow } from "./dimensions.ts";

/** Returns whether a value is one of others. */
export const has = (value: string | undefined, ...values: string[]): boolean =>
  value !== undefined && values.includes(value);

export const isHybrid = ({ queries }: Partial<SearchRow>): boolean => queries !== undefined && queries !== "plain";

/** Combinations that a version of the cluster refuses for hybrid queries, whoever asks. */
export const OF_VERSION: Readonly<Record<"2" | "3", ReadonlyArray<Constraint<typeof SEARCH>>>> = {
  2: [
    {
      reason: "OpenSearch 2 asks for each group by a query around the hybrid one, which it refuses",
      excludes: (row) => isHybrid(row) && row.collapse === "inner_hits",
    },
    {
      reason: "OpenSearch 2 refuses a filter around a hybrid query",
      excludes: (row) => isHybrid(row) && row.default_pipeline === "filter",
    },
  ],
  3: [
    {
      reason:
        "OpenSearch 3.6 aggregates other documents for size 0, of a page past the end, where filter_query is around",
      excludes: (row) =>
        isHybrid(row) && row.default_pipeline === "filter" && has(row.aggregations, "terms", "top_hits"),
    },
    {
      reason: "OpenSearch 3.6 fails on some shards on a derived field beside a hybrid query (DirectReader)",
      excludes: (row) => isHybrid(row) && row.derived === "yes",
    },
    {
      reason: "OpenSearch 3 takes no min_score for a hybrid query with a sort by a field",
      excludes: (row) => isHybrid(row) && row.min_score === "yes" && row.sort === "year",
    },
    {
      reason: "OpenSearch 3 fails on the groups of a hybrid query that is sorted by score (collapseField is null)",
      excludes: (row) => isHybrid(row) && row.collapse === "inner_hits" && row.sort === "score",
    },
    {
      reason: "so it does if none of the groups on several shards reaches min_score",
      excludes: (row) => isHybrid(row) && row.collapse === "yes" && row.sort === "score" && row.min_score === "yes",
    },
    {
      reason:
        "OpenSearch 3.6 fails on a sorted hybrid query if a shard has nothing behind search_after (NoSuchElement)",
      excludes: (row) => isHybrid(row) && row.page === "search_after" && row.shards === "3",
    },
  ],
};
