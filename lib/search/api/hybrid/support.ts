import type { Degradation } from "../../../core/http/degradation.ts";
import type { Issue } from "../../../core/http/error.ts";
import { memberSlices, withMembers } from "../../../core/json/slices.ts";
import type { Capabilities } from "../../opensearch/capabilities.ts";
import type { AppliedHybridSettings } from "./request.ts";

/** Returns what a request asks for that the cluster's version cannot do. */
export function versionIssues(can: Capabilities, from: number): Issue[] {
  if (!can.hybrid) {
    const message = `holds a hybrid query, which needs OpenSearch 2.12; the cluster is ${can.version}`;
    return [{ path: "search_request_template.query", message }];
  }
  if (from === 0 || can.pagination) return [];
  const message = `must be 0: pages of a hybrid query need OpenSearch 2.19; the cluster is ${can.version}`;
  return [{ path: "search_request_template.from", message }];
}

/** Returns what the settings ask for that the cluster cannot do. */
export function settingsIssues(
  { normalization, combination, weights }: AppliedHybridSettings,
  { version, zScore, rrf, weightedRrf }: Capabilities,
): Issue[] {
  const issue = (field: string, message: string) => ({ path: `settings.${field}`, message });
  const needs = (what: string, since: string) => `${what} needs OpenSearch ${since}; the cluster is ${version}`;
  if (combination === "rrf") {
    if (!rrf) return [issue("combination", needs("rrf", "2.19"))];
    return weights !== null && !weightedRrf ? [issue("weights", needs("rrf with weights", "3.6"))] : [];
  }
  if (normalization !== "z_score") return [];
  if (!zScore) return [issue("normalization", needs("z_score", "3.0"))];
  return combination === "arithmetic_mean" ? [] : [issue("combination", "must be arithmetic_mean with z_score")];
}

/** Returns the degradation of a request for a profile that the cluster's version cannot make. */
export function profileDegradation(native: Record<string, unknown>, can: Capabilities): Degradation | undefined {
  if (native.profile !== true || can.hybridProfile) return undefined;
  return {
    stage: "profile",
    target: "search_request_template.profile",
    reason: `OpenSearch ${can.version} cannot profile a hybrid query; 3.6 can`,
    effect: "profile is empty",
  };
}

/** Returns an answer with a profile: `truncate_hits` adds an empty one only when it cuts, and answers always have one. */
export const withProfile = (text: string): string =>
  memberSlices(text).has("profile") ? text : withMembers(text, { profile: '{"shards":[]}' });
