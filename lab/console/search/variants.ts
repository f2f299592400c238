import { HYBRID_DEFAULTS, MAX_SUBQUERIES, type Techniques } from "../../../lib/core/contract/search.ts";
import { withQuery } from "../../../lib/core/json/template.ts";
import type { ConsoleIndex } from "../../server/setup.ts";
import type { ServiceCall } from "../curl.ts";

/** One subquery of the hybrid searches of an index. */
export interface Leg {
  /** `keyword`, or the embedding field. */
  name: string;
  kind: "keyword" | "dense" | "sparse";
  /** A subquery in which `[search_query]` stands for the text. */
  query: Record<string, unknown>;
}

/** Settings of a search that a column shows. */
export type Variant =
  | { kind: "leg"; leg: string }
  | HybridVariant
  | PlainVariant
  | { kind: "own"; name: string /** JSON of a `search_request_template` with one hybrid query. */; template: string };

/** A keyword search with boosts and a filter. */
export interface PlainVariant {
  kind: "plain";
  name: string;
  /** How much a field counts, where that is not 1; with 0 it is not searched. */
  boosts: Readonly<Record<string, number>>;
  /** What every hit must match, in the syntax of Lucene, as in `category:history`; empty for no filter. */
  filter: string;
}

export interface HybridVariant {
  kind: "hybrid";
  name: string;
  /** Null: what the gateway is configured to use. */
  settings:
    | (Techniques & { /** Null: equal weights, which is all that some techniques take. */ weights: number[] | null })
    | null;
  /** Weight of the user's own ranking, from 0 to 1. */
  personal?: number;
}

/** Hits of a page. */
export const SIZE = 10;

/** Returns the legs of an index: the text fields, and each embedding. */
export function legsOf(index: ConsoleIndex | undefined, fields: readonly string[]): Leg[] {
  const keyword: Leg = {
    name: "keyword",
    kind: "keyword",
    query: { multi_match: { query: "[search_query]", fields } },
  };
  const embeddings = (index?.embeddings ?? []).map(({ field, kind }): Leg => {
    const token = `[${field}]`;
    const knn = { knn: { [field]: { vector: token, k: index?.candidates ?? HYBRID_DEFAULTS.candidates } } };
    return { name: field, kind, query: kind === "dense" ? knn : { bool: { should: token } } };
  });
  return [keyword, ...embeddings].slice(0, MAX_SUBQUERIES);
}

/** Returns a short name for a leg: the kind, and the field where there are several of that kind. */
export function legTitle(leg: Leg, legs: readonly Leg[]): string {
  return legs.filter(({ kind }) => kind === leg.kind).length > 1 ? `${leg.kind} ${leg.name}` : leg.kind;
}

/** Returns the usual variants: each leg alone, then all together. */
export function usualVariants(legs: readonly Leg[]): Variant[] {
  const alone = legs.map((leg): Variant => ({ kind: "leg", leg: leg.name }));
  return legs.length < 2 ? alone : [...alone, { kind: "hybrid", name: "hybrid", settings: null }];
}

export function variantTitle(variant: Variant, legs: readonly Leg[]): string {
  if (variant.kind !== "leg") return variant.name;
  const leg = legs.find(({ name }) => name === variant.leg);
  return leg ? legTitle(leg, legs) : variant.leg;
}

/** What is searched for. */
export interface Asked {
  index: string;
  query: string;
  user: string;
  legs: readonly Leg[];
}

/** Returns the call that a variant makes. Throws SyntaxError for a template that is not JSON. */
export function callOf(variant: Variant, asked: Asked, size = SIZE): ServiceCall {
  const { index, query, user, legs } = asked;
  const personal = variant.kind === "hybrid" && user !== "" ? variant.personal : undefined;
  const common = {
    index,
    is_logging_enable: false,
    ...(personal !== undefined && {
      user_id: user,
      business_rules: { is_personalized_enabled: true, personalization_weight: personal },
    }),
  };
  if (variant.kind === "plain" || (variant.kind === "leg" && variant.leg === "keyword")) {
    const keywords = variant.kind === "plain" ? plainQuery(variant, legs) : keywordLeg(legs)?.query;
    const hidden = legs.filter(({ kind }) => kind !== "keyword").map(({ name }) => name);
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

const keywordLeg = (legs: readonly Leg[]): Leg | undefined => legs.find(({ kind }) => kind === "keyword");

/** Returns the fields that keyword search can search. */
export function keywordFields(legs: readonly Leg[]): readonly string[] {
  const { fields = [] } = (keywordLeg(legs)?.query.multi_match ?? {}) as { fields?: readonly string[] };
  return fields;
}

/** Returns the query of a keyword search with boosts and a filter. */
function plainQuery({ boosts, filter }: PlainVariant, legs: readonly Leg[]): Record<string, unknown> {
  const fields = keywordFields(legs).flatMap((field) => {
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

function templateOf(variant: Variant, { legs, query }: Asked): object {
  const used = variant.kind === "leg" ? legs.filter(({ name }) => name === variant.leg) : legs;
  return withQuery({ query: { hybrid: { queries: used.map((leg) => leg.query) } } }, query) as object;
}

/** Returns the call for the candidates of all subqueries, from which the page computes any weights itself. */
export function candidatesCall({ index, query, legs }: Asked): ServiceCall {
  const queries = legs.map((leg) => leg.query);
  return post("/application/hybrid-search/candidates", {
    index,
    search_query: query,
    search_request_template: withQuery({ query: { hybrid: { queries } } }, query),
  });
}

const post = (path: string, body: unknown): ServiceCall => ({ service: "gateway", method: "POST", path, body });

/** Returns the file of settings with which `relevance evaluate` and `relevance tune` measure the variants. */
export function settingsFileOf(variants: readonly Variant[], { index, legs }: Pick<Asked, "index" | "legs">) {
  const template = { query: { hybrid: { queries: legs.map((leg) => leg.query) } } };
  const settings = variants.map((variant) => {
    const name = variantTitle(variant, legs);
    if (variant.kind === "own") return { name, template: JSON.parse(variant.template) as object };
    if (variant.kind === "hybrid") {
      const personal = variant.personal === undefined ? {} : { personalization_weight: variant.personal };
      return { name, ...(variant.settings && { settings: sentSettings(variant.settings) }), ...personal };
    }
    if (variant.kind === "plain") return { name, search_request: { query: plainQuery(variant, legs) } };
    const leg = legs.find((one) => one.name === variant.leg);
    if (leg?.kind === "keyword") return { name, search_request: { query: leg.query } };
    return { name, template: { query: { hybrid: { queries: leg ? [leg.query] : [] } } } };
  });
  return { index, template, settings };
}
