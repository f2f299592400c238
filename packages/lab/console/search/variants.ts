import { HYBRID_DEFAULTS, MAX_SUBQUERIES } from "@relevance/lib/platform/contract/search.ts";
import { withQuery } from "@relevance/lib/platform/json/template.ts";
import type { ConsoleIndex } from "../../server/setup.ts";
import type { ServiceCall } from "../curl.ts";
import { templateNamed } from "./customers.ts";
import type { HybridVariant, PlainVariant, TemplateVariant, Variant } from "./variant.ts";

/** One subquery of the hybrid searches of an index. */
export interface Subquery {
  /** `keyword`, or the embedding field. */
  name: string;
  kind: "keyword" | "dense" | "sparse";
  /** A subquery in which `[search_query]` stands for the text. */
  query: Record<string, unknown>;
}

/** Hits of a page. */
export const SIZE = 10;

/** Returns the subqueries of an index: the text fields, and each embedding. */
export function subqueriesOf(index: ConsoleIndex | undefined, fields: readonly string[]): Subquery[] {
  const keyword: Subquery = {
    name: "keyword",
    kind: "keyword",
    query: { multi_match: { query: "[search_query]", fields } },
  };
  const embeddings = (index?.embeddings ?? []).map(({ field, kind }): Subquery => {
    const token = `[${field}]`;
    const knn = { knn: { [field]: { vector: token, k: index?.candidates ?? HYBRID_DEFAULTS.candidates } } };
    return { name: field, kind, query: kind === "dense" ? knn : { bool: { should: token } } };
  });
  return [keyword, ...embeddings].slice(0, MAX_SUBQUERIES);
}

/** Returns a short name for a subquery: the kind, and the field where there are several of that kind. */
export function subqueryTitle(subquery: Subquery, subqueries: readonly Subquery[]): string {
  return subqueries.filter(({ kind }) => kind === subquery.kind).length > 1
    ? `${subquery.kind} ${subquery.name}`
    : subquery.kind;
}

/** Returns the usual variants: what customers get, each subquery alone, then all together. */
export function usualVariants(subqueries: readonly Subquery[], customers: Variant | undefined): Variant[] {
  const whatIfs = usualWhatIfs(subqueries);
  return customers ? [customers, ...whatIfs] : whatIfs;
}

function usualWhatIfs(subqueries: readonly Subquery[]): Variant[] {
  const alone = subqueries.map((subquery): Variant => ({ kind: "subquery", subquery: subquery.name }));
  return subqueries.length < 2 ? alone : [...alone, { kind: "hybrid", name: "hybrid", settings: null }];
}

export function variantTitle(variant: Variant, subqueries: readonly Subquery[]): string {
  if (variant.kind !== "subquery") return variant.name;
  const subquery = subqueries.find(({ name }) => name === variant.subquery);
  return subquery ? subqueryTitle(subquery, subqueries) : variant.subquery;
}

/** The search text. */
export interface ColumnsRequest {
  index: string;
  query: string;
  user: string;
  subqueries: readonly Subquery[];
}

/** Returns the call that a variant makes. Throws SyntaxError for a template that is not JSON. */
export function callOf(variant: Variant, asked: ColumnsRequest, size = SIZE): ServiceCall {
  const { index, query, user, subqueries } = asked;
  const personal = variant.kind === "hybrid" && user !== "" ? variant.personal : undefined;
  const common = {
    index,
    is_logging_enable: false,
    ...(personal !== undefined && {
      user_id: user,
      business_rules: { is_personalized_enabled: true, personalization_weight: personal },
    }),
  };
  if (variant.kind === "template") {
    const { template, params } = variant;
    const { isHybrid = false, parameters = [] } = templateNamed(template) ?? {};
    const values = Object.entries(params).map(([name, typed]) => {
      return [name, parameterValue(typed, parameters.find((parameter) => parameter.name === name)?.type)];
    });
    const named = { ...common, template, params: Object.fromEntries(values), ...(user !== "" && { user_id: user }) };
    return isHybrid
      ? post("/application/hybrid-search", { ...named, search_query: query })
      : post("/application/search", { ...named, user_query: query });
  }
  if (variant.kind === "plain" || (variant.kind === "subquery" && variant.subquery === "keyword")) {
    const keywords = variant.kind === "plain" ? plainQuery(variant, subqueries) : keywordSubquery(subqueries)?.query;
    const hidden = subqueries.filter(({ kind }) => kind !== "keyword").map(({ name }) => name);
    const body = { size, _source: { excludes: hidden }, query: withQuery(keywords ?? {}, query) };
    // Rules apply to what the user typed.
    return post("/application/search", { ...common, user_query: query, search_request: body });
  }
  const native = variant.kind === "own" ? withQuery(JSON.parse(variant.template), query) : templateOf(variant, asked);
  return post("/application/hybrid-search", {
    ...common,
    search_query: query,
    search_request_template: { size, ...(native as object) },
    ...(variant.kind === "hybrid" && variant.settings && { settings: sentSettings(variant.settings) }),
  });
}

/** Returns a value as a parameter of this type takes it. One that is not declared takes any JSON. */
function parameterValue(typed: string, type: string | undefined): unknown {
  const single = (text: string) => (type?.startsWith("number") && text !== "" ? Number(text) : text);
  if (type !== undefined) return type.endsWith("s") ? typed.split(",").map((one) => single(one.trim())) : single(typed);
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

const keywordSubquery = (subqueries: readonly Subquery[]): Subquery | undefined =>
  subqueries.find(({ kind }) => kind === "keyword");

/** Returns the fields that keyword search can search. */
export function keywordFields(subqueries: readonly Subquery[]): readonly string[] {
  const { fields = [] } = (keywordSubquery(subqueries)?.query.multi_match ?? {}) as { fields?: readonly string[] };
  return fields;
}

/** Returns the query of a keyword search with boosts and a filter. */
function plainQuery({ boosts, filter }: PlainVariant, subqueries: readonly Subquery[]): Record<string, unknown> {
  const fields = keywordFields(subqueries).flatMap((field) => {
    const boost = boosts[field] ?? 1;
    return boost === 0 ? [] : boost === 1 ? [field] : [`${field}^${boost}`];
  });
  const words = { multi_match: { query: "[search_query]", fields } };
  return filter.trim() === "" ? words : { bool: { must: [words], filter: [{ query_string: { query: filter } }] } };
}

/** Returns settings as the gateway and the commands take them: without weights where they are equal. */
export function sentSettings({ weights, ...rest }: NonNullable<HybridVariant["settings"]>) {
  return weights === null ? rest : { weights, ...rest };
}

function templateOf(variant: Variant, { subqueries, query }: ColumnsRequest): object {
  const used = variant.kind === "subquery" ? subqueries.filter(({ name }) => name === variant.subquery) : subqueries;
  return withQuery({ query: { hybrid: { queries: used.map((subquery) => subquery.query) } } }, query) as object;
}

/** Returns the call for the candidates of all subqueries, from which the page computes any weights itself. */
export function candidatesCall({ index, query, subqueries }: ColumnsRequest): ServiceCall {
  const queries = subqueries.map((subquery) => subquery.query);
  return post("/application/hybrid-search/candidates", {
    index,
    search_query: query,
    search_request_template: withQuery({ query: { hybrid: { queries } } }, query),
  });
}

const post = (path: string, body: unknown): ServiceCall => ({ service: "gateway", method: "POST", path, body });

/** Whether a variant can be measured and previewed: its native body is known here. */
export const isMeasured = (variant: Variant): variant is Exclude<Variant, TemplateVariant> =>
  variant.kind !== "template";

/** Returns the file of settings with which `relevance evaluate` and `relevance tune` measure the variants. */
export function settingsFileOf(
  variants: readonly Variant[],
  { index, subqueries }: Pick<ColumnsRequest, "index" | "subqueries">,
) {
  const template = { query: { hybrid: { queries: subqueries.map((subquery) => subquery.query) } } };
  const settings = variants.filter(isMeasured).map((variant) => {
    const name = variantTitle(variant, subqueries);
    if (variant.kind === "own") return { name, template: JSON.parse(variant.template) as object };
    if (variant.kind === "hybrid") {
      const personal = variant.personal === undefined ? {} : { personalization_weight: variant.personal };
      return { name, ...(variant.settings && { settings: sentSettings(variant.settings) }), ...personal };
    }
    if (variant.kind === "plain") return { name, search_request: { query: plainQuery(variant, subqueries) } };
    const subquery = subqueries.find((one) => one.name === variant.subquery);
    if (subquery?.kind === "keyword") return { name, search_request: { query: subquery.query } };
    return { name, template: { query: { hybrid: { queries: subquery ? [subquery.query] : [] } } } };
  });
  return { index, template, settings };
}
