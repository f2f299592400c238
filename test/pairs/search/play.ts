import type { Cluster } from "../../fixtures/opensearch.ts";
import { compareHits, difference, type Finding, type Hit } from "../compare.ts";
import type { PairModels } from "../models.ts";
import { pageOf } from "./body.ts";
import { ALLOWED, type Facts, isBefore, isExplainable, TOLD } from "./differences.ts";
import type { SearchRow } from "./dimensions.ts";
import { askCluster, nativeRequest } from "./oracle.ts";
import { personalOrder } from "./personal.ts";
import { isVaried, variedPage } from "./variety.ts";
import type { World } from "./world.ts";

/** The parts of a search answer that are compared. */
interface SearchResponse {
  hits: { total?: { value: number; relation: string }; max_score: number | null; hits: Hit[] };
  aggregations?: unknown;
  suggest?: unknown;
  profile?: { shards: unknown[] };
  timed_out: boolean;
  _shards: { total: number; failed: number };
}

/** The gateway's answer to a case. */
export interface Played {
  status: number;
  text: string;
}

/** What a case came to. */
export interface Outcome {
  findings: Finding[];
  /** Reasons of the differences that were met and are allowed. */
  allowed: string[];
  /** Whether the cluster and the gateway both answered. */
  isAnswered: boolean;
}

/** Compares the gateway's answer to a case with the cluster's own answer to the native request. */
export async function judge(
  cluster: Cluster,
  { row, world }: { row: SearchRow; world: World },
  models: PairModels,
  { status, text }: Played,
): Promise<Outcome> {
  const body = JSON.parse(text) as {
    search_response?: SearchResponse;
    experiment?: { variant: string };
    degraded?: Array<{ stage: string; target: string }>;
  };
  const isHybrid = row.queries !== "plain";
  const how = {
    variant: body.experiment?.variant,
    explains: isExplainable(row),
    profiles: !isBefore(cluster.version, "3.6.0"),
  };
  const native = nativeRequest(row, world, models, how);
  let answer = await askCluster(cluster, native);
  // What the gateway adds to a search must not make it fail: a person would leave the explanation out.
  const isUnexplained = answer.status !== 200 && row.explain === "yes" && isHybrid;
  if (isUnexplained) answer = await askCluster(cluster, nativeRequest(row, world, models, { ...how, explains: false }));
  const full = answer.body as unknown as SearchResponse;
  const facts: Facts = {
    row,
    version: cluster.version,
    isHybrid,
    leftOut: native.leftOut,
    depth: "whole",
  };
  if (answer.status !== 200 || status !== 200) {
    const outcome = { native: answer.status, reason: JSON.stringify(answer.body).slice(0, 400) };
    const isSame = answer.status !== 200 && status !== 200;
    const findings = isSame ? [] : [{ what: "status", expected: outcome, got: `${status} ${text.slice(0, 600)}` }];
    return settled(findings, facts, false);
  }
  const got = body.search_response as SearchResponse;
  facts.depth = depthOf(row, full, got);
  const findings = [
    ...difference("experiment", row.experiment !== "none", body.experiment !== undefined),
    ...compareAnswers(row, full, got, Math.min(200, world.entry?.candidates ?? 100)),
    ...toldFindings(body.degraded ?? [], facts),
  ];
  return settled(findings, facts, true);
}

function compareAnswers(row: SearchRow, full: SearchResponse, got: SearchResponse, window: number): Finding[] {
  return [
    ...comparePages(row, full, got, window),
    ...difference("total", full.hits.total, got.hits.total),
    ...difference("aggregations", full.aggregations, got.aggregations),
    ...difference("suggest", full.suggest, got.suggest),
    ...difference("shards", full._shards, got._shards),
    ...difference("timed_out", full.timed_out, got.timed_out),
    ...difference("profile", full.profile?.shards.length ?? 0, got.profile?.shards.length ?? 0),
  ];
}

function comparePages(row: SearchRow, full: SearchResponse, got: SearchResponse, window: number): Finding[] {
  const page = pageOf(row);
  const isOwnOrder = row.sort !== "none" || row.collapse !== "no" || row.page === "search_after";
  if (isVaried(row)) return variedPage(full.hits.hits, got.hits.hits, row, window);
  if (row.ranking === "on" && !isOwnOrder && page.size > 0) {
    return personalOrder(full.hits.hits, got.hits.hits, page);
  }
  return [
    ...compareHits(full.hits.hits, got.hits.hits, page),
    ...(page.size > 0 ? difference("max_score", full.hits.max_score, got.hits.max_score) : []),
  ];
}

/**
 * Returns whether documents match that have no place in the fused list, on a page that is short for it. Unknown where
 * the cluster does not count them all, or counts others than those that the list could hold.
 */
function depthOf(row: SearchRow, full: SearchResponse, got: SearchResponse): Facts["depth"] {
  const { from, size } = pageOf(row);
  if (row.queries === "plain" || got.hits.hits.length >= size) return "whole";
  const isCounted = row.track_total_hits === "no" && row.collapse === "no" && row.page !== "search_after";
  if (!isCounted || row.min_score === "yes") return "unknown";
  // Of a page past the end the gateway knows the total alone. The last page of the list has told what it lacks.
  if (got.hits.hits.length === 0 && (full.hits.total?.value ?? 0) <= from) return "unknown";
  return (full.hits.total?.value ?? 0) > full.hits.hits.length ? "lacking" : "whole";
}

function toldFindings(degraded: ReadonlyArray<{ stage: string; target: string }>, facts: Facts): Finding[] {
  const expected = TOLD.filter(({ when }) => when(facts)).map(({ stage }) => stage);
  const stages = [...new Set(degraded.map(({ stage }) => stage))].filter(
    (stage) => stage !== "depth" || facts.depth !== "unknown",
  );
  const fields = degraded.flatMap(({ stage, target }) => (stage === "embedding" ? [target] : []));
  return [
    ...difference("degraded", expected.sort(), stages.sort()),
    ...difference("left out", facts.leftOut.toSorted(), [...new Set(fields)].sort()),
  ];
}

function settled(findings: readonly Finding[], facts: Facts, isAnswered: boolean): Outcome {
  const rowOf = ({ what }: Finding) => ALLOWED.find((one) => one.what.test(what) && one.when(facts));
  return {
    findings: findings.filter((finding) => !rowOf(finding)),
    allowed: [
      ...TOLD.filter(({ when }) => isAnswered && when(facts)).map(({ reason }) => reason),
      ...findings.flatMap((finding) => rowOf(finding)?.reason ?? []),
    ],
    isAnswered,
  };
}
