import type { Issue } from "../../../core/http/error.ts";
import { parseLossless } from "../../../core/json/lossless.ts";
import { memberSlices } from "../../../core/json/slices.ts";
import { isObject } from "../../../core/json/values.ts";
import { type HybridRequest, MAX_SUBQUERIES } from "./request.ts";

const PATH = "search_request_template";

/** The parts of a search request template that the gateway works with. */
export interface Template {
  /** The caller's own text, from which the body and the echo are made. */
  text: string;
  native: Record<string, unknown>;
  /** The hybrid clause besides its queries: `filter`, `_name`, `boost`. */
  hybrid: Record<string, unknown>;
  queries: readonly unknown[];
}

/** Reads the template of a request; issues where it is not a native body with one hybrid query of 1 to 5 subqueries. */
export function readTemplate(requestText: string, request: HybridRequest): { template?: Template; issues: Issue[] } {
  const slice = memberSlices(requestText).get(PATH);
  const text = requestText.slice(slice?.start, slice?.end);
  const native = parseLossless(text) as Record<string, unknown>;
  const issues = [...pipelineIssues(native), ...depthIssues(native)];
  const hybrid = hybridClause(native);
  if (hybrid === undefined) {
    issues.push({ path: `${PATH}.query`, message: "must hold one hybrid query and nothing else beside it" });
    return { issues };
  }
  const { queries, ...rest } = hybrid;
  issues.push(...queryIssues(queries, request.settings.weights), ...hybridDepthIssues(rest));
  if (issues.length > 0 || !Array.isArray(queries)) return { issues };
  return { template: { text, native, hybrid: rest, queries }, issues };
}

function hybridClause({ query }: Record<string, unknown>): Record<string, unknown> | undefined {
  if (!isObject(query) || Object.keys(query).length !== 1) return undefined;
  return isObject(query.hybrid) ? query.hybrid : undefined;
}

function queryIssues(queries: unknown, weights: readonly number[] | null): Issue[] {
  const path = `${PATH}.query.hybrid.queries`;
  if (!Array.isArray(queries)) return [{ path, message: "must be an array of 1 to 5 subqueries" }];
  if (queries.length < 1 || queries.length > MAX_SUBQUERIES) {
    return [{ path, message: `must hold 1 to ${MAX_SUBQUERIES} subqueries, got ${queries.length}` }];
  }
  const issues: Issue[] = queries.flatMap((query, index) =>
    isObject(query) && Object.keys(query).length > 0 ? [] : [{ path: `${path}.${index}`, message: "must be a query" }],
  );
  if (weights && weights.length !== queries.length) {
    const message = `must hold one weight a subquery: ${queries.length} subqueries, ${weights.length} weights`;
    issues.push({ path: "settings.weights", message });
  }
  return issues;
}

function pipelineIssues(native: Record<string, unknown>): Issue[] {
  if (native.search_pipeline === undefined) return [];
  return [{ path: `${PATH}.search_pipeline`, message: "is made by the gateway; use settings" }];
}

/** The page decides nothing about scores only because the gateway sets the depth itself. */
function hybridDepthIssues(hybrid: Record<string, unknown>): Issue[] {
  if (hybrid.pagination_depth === undefined) return [];
  return [
    {
      path: `${PATH}.query.hybrid.pagination_depth`,
      message: "is set by the gateway; configure candidates of the index",
    },
  ];
}

function depthIssues(native: Record<string, unknown>): Issue[] {
  return (["from", "size"] as const).flatMap((field) => {
    const value = native[field];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)) return [];
    return [{ path: `${PATH}.${field}`, message: "must be a whole number, 0 or more" }];
  });
}
