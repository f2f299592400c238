import { isCut, isOwnOrder, pageOf } from "./body.ts";
import { isBoostLost } from "./boost.ts";
import type { SearchRow } from "./dimensions.ts";
import { isInterleaved } from "./interleave.ts";
import { isRerankLost } from "./rerank.ts";
import { hasPin, isPinned, isTextReplaced } from "./rules.ts";
import { isVarietyLost } from "./variety.ts";

/** What a case is, as far as an answer may differ for it. */
export interface Facts {
  row: SearchRow;
  version: string;
  /** Whether the query is a hybrid one. */
  isHybrid: boolean;
  /** Whether another text can take the place of the request's. */
  isTextPlaced: boolean;
  leftOut: readonly string[];
  /** Whether the cluster finds a document. */
  hasHits?: boolean;
  passages: "none" | "shown" | "told";
  /** Whether the cluster refuses the search for another text than the one that found nothing. */
  isOtherRefused?: boolean;
  /** Whether documents match that the fused list lacks, so that the page is short. */
  depth: "whole" | "lacking" | "unknown";
}

/** A way in which the gateway may answer otherwise than the cluster, which its answer tells. */
interface Told {
  stage: string;
  /** Why the gateway does not give what the cluster is asked for. */
  reason: string;
  when: (facts: Facts) => boolean;
}

export const isBefore = (version: string, since: string): boolean =>
  version.localeCompare(since, "en", { numeric: true }) < 0;

/** Returns whether the cluster's processor explains the fused scores of a search. */
export const isExplainable = ({ mapping, passages, form, rescore, page }: SearchRow): boolean =>
  mapping !== "nested" &&
  passages === "none" &&
  form !== "filtered-alias" &&
  rescore === "no" &&
  pageOf({ page }).from === 0;

/** The differences that an answer tells, by the stage that `degraded` names. No answer may tell any other. */
export const TOLD: readonly Told[] = [
  {
    stage: "embedding",
    reason: "no vector of the query can be compared with those of the index: the subqueries on the field are left out",
    when: ({ leftOut }) => leftOut.length > 0,
  },
  {
    stage: "personalization",
    reason: "a request with an order of its own keeps it",
    when: ({ row }) => row.ranking === "on" && row.page !== "size-0" && isOwnOrder(row),
  },
  {
    stage: "rerank",
    reason: "a request with an order of its own keeps it, and an index without an entry has no reranker",
    when: ({ row }) => isRerankLost(row),
  },
  {
    stage: "boost",
    reason: "a request with an order of its own keeps it, also if it asks for a boost",
    when: ({ row }) => isBoostLost(row),
  },
  {
    stage: "variety",
    reason: "a request with an order of its own keeps it, also if it asks for variety",
    when: ({ row }) => isVarietyLost(row),
  },
  {
    stage: "passages",
    reason: "without a vector of the query no passage is the nearest",
    when: ({ passages }) => passages === "told",
  },
  {
    stage: "rules",
    reason: "hits without ids cannot be told from pinned ones",
    when: ({ row }) => isPinned(row) && row.stored_fields === "_none_",
  },
  {
    stage: "rules",
    reason: "a processor of the request leaves out hits of each page",
    when: ({ row }) => isCut(row) && hasPin(row) && pageOf(row).size > 0,
  },
  {
    stage: "interleaving",
    reason: "a processor of the request leaves out hits of each page",
    when: ({ row }) => isCut(row) && row.experiment === "interleave" && pageOf(row).size > 0,
  },
  {
    stage: "rules",
    reason: "neither words nor a token of the search have the text that a rule replaces",
    when: ({ row, isTextPlaced }) => isTextReplaced(row) && !isTextPlaced,
  },
  {
    stage: "interleaving",
    reason: "hits without ids cannot be told from those of the other variant",
    when: ({ row, hasHits = true }) => hasHits && isInterleaved(row) && row.stored_fields === "_none_",
  },
  {
    stage: "suggestions",
    reason:
      "the cluster refuses the search for another text, as it refuses a completion beside a hybrid query with hits",
    when: ({ row, isOtherRefused = false }) =>
      row.no_hits !== "no" && row.track_total_hits !== "false" && isOtherRefused,
  },
  {
    stage: "profile",
    reason: "the cluster cannot profile a hybrid query",
    when: ({ row, isHybrid, version }) => isHybrid && row.profile === "yes" && isBefore(version, "3.6.0"),
  },
  {
    stage: "explanation",
    reason:
      "hybrid_score_explanation fails for a query that the cluster wraps (nested fields, an alias's filter) and beside " +
      "rescore; hits of a page with `from` get the explanations of the first page (2.19.6, 3.6.0)",
    when: ({ row, isHybrid }) => isHybrid && row.explain === "yes" && !isExplainable(row),
  },
  {
    stage: "collapse",
    reason: "the cluster ignores collapse beside a hybrid query",
    when: ({ row, isHybrid, version }) => isHybrid && row.collapse !== "no" && isBefore(version, "3.1.0"),
  },
  {
    stage: "depth",
    reason: "the fused list has the candidates of each subquery and no more",
    when: ({ depth }) => depth === "lacking",
  },
];

/** A difference that no `degraded` tells. */
interface Allowed {
  what: RegExp;
  reason: string;
  when: (facts: Facts) => boolean;
}

export const ALLOWED: readonly Allowed[] = [];
