import { MAX_SUBQUERIES } from "../../../platform/contract/search.ts";
import type { Issue } from "../../../platform/http/error.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import { memberSlices } from "../../../platform/json/slices.ts";
import { isObject, numberOf, parseLossless } from "../../../platform/json/values.ts";
import type { GatewaySettings } from "../../gateway/settings.ts";
import { isCount, type Page, pageOf } from "../../page/native-page.ts";
import type { SearchBody } from "../../run/named-template.ts";
import type { HybridRequest } from "./request.ts";

const PATH = "search_request_template";

/** The parts of a search request template that the gateway uses. */
export interface Template {
  /** JSON text, from which the body and the echo are made. */
  text: string;
  native: Record<string, unknown>;
  page: Page;
  /** The members of the hybrid clause besides its queries and filters: `_name`, `boost`. */
  hybrid: Record<string, unknown>;
  /** The filters beside the queries. */
  filters: readonly unknown[];
  queries: readonly unknown[];
  /** The caller's own response processors. The rest of the pipeline is built by the gateway. */
  responseProcessors: readonly unknown[];
}

/**
 * Parses a template and checks that the request's weights match it. Throws `invalid_request` with every issue unless it
 * is a native body with one hybrid query of 1 to 5 subqueries.
 */
export function readTemplate(text: string, weights: readonly number[] | null): Template {
  const native = parseLossless(text) as Record<string, unknown>;
  const pipeline = readPipeline(native.search_pipeline ?? undefined);
  const page = pageOf(native);
  const clause = hybridClause(native);
  const issues = [
    ...pipeline.issues,
    ...pageIssues(native),
    ...(clause ? clauseIssues(clause, weights) : [NO_HYBRID_QUERY]),
  ];
  if (issues.length > 0 || !clause || !page) throw invalidRequest(issues);
  const { queries, filter, ...hybrid } = clause;
  const filters = [filter ?? []].flat();
  return {
    text,
    native,
    page,
    hybrid,
    filters,
    queries: queries as unknown[],
    responseProcessors: pipeline.processors,
  };
}

const NO_HYBRID_QUERY: Issue = {
  path: `${PATH}.query`,
  message: "must hold one hybrid query and nothing else beside it",
};

function hybridClause({ query }: Record<string, unknown>): Record<string, unknown> | undefined {
  if (!isObject(query) || Object.keys(query).length !== 1) return undefined;
  return isObject(query.hybrid) ? query.hybrid : undefined;
}

function clauseIssues(
  { queries, filter, pagination_depth }: Record<string, unknown>,
  weights: readonly number[] | null,
) {
  const issues = queryIssues(queries, weights);
  if (pagination_depth !== undefined) {
    const message = "is set by the gateway; configure candidates of the index";
    issues.push({ path: `${PATH}.query.hybrid.pagination_depth`, message });
  }
  if (filter !== undefined && ![filter].flat().every(isObject)) {
    issues.push({ path: `${PATH}.query.hybrid.filter`, message: "must be a query or an array of queries" });
  }
  return issues;
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

/** Parses the response processors of the caller's pipeline, the only part that a template may have. */
function readPipeline(pipeline: unknown): { processors: readonly unknown[]; issues: Issue[] } {
  const path = `${PATH}.search_pipeline`;
  if (pipeline === undefined) return { processors: [], issues: [] };
  if (!isObject(pipeline)) {
    const message = "must be an object with response_processors; the rest of it is made by the gateway from settings";
    return { processors: [], issues: [{ path, message }] };
  }
  const { response_processors: processors = [], ...others } = pipeline;
  const issues = Object.keys(others).map((key) => ({
    path: `${path}.${key}`,
    message: "is made by the gateway from settings; only response_processors may be given",
  }));
  if (Array.isArray(processors) && processors.every((one) => isObject(one) && Object.keys(one).length === 1)) {
    return { processors, issues };
  }
  const message = "must be an array of processors, each an object with one key";
  return { processors: [], issues: [...issues, { path: `${path}.response_processors`, message }] };
}

function pageIssues(native: Record<string, unknown>): Issue[] {
  return (["from", "size"] as const).flatMap((field) => {
    const value = native[field];
    if (value === undefined || (typeof value !== "string" && isCount(numberOf(value)))) return [];
    return [{ path: `${PATH}.${field}`, message: "must be a whole number, 0 or more" }];
  });
}

/**
 * Returns the request's own or named template; `replaced` is searched for instead of its text. Throws what {@link
 * namedTemplate} throws.
 */
export async function templateOf(
  settings: Pick<GatewaySettings, "templates">,
  { search_request_template: own, template: name }: Pick<HybridRequest, "search_request_template" | "template">,
  requestText: string,
  replaced?: string,
): Promise<SearchBody> {
  if (own === null) {
    const { namedTemplate } = await import("../../run/named-template.ts");
    const asked = { name: name ?? "", text: replaced, queryMember: "search_query", bodyMember: PATH } as const;
    return namedTemplate(settings, { ...asked, endpoint: "hybrid-search" }, requestText);
  }
  const slice = memberSlices(requestText).get(PATH);
  return { text: requestText.slice(slice?.start, slice?.end), parsed: own };
}
