import { type InstantRequest, type Listing, type NamedSearch, parameterOf, UnsupportedError } from "./types.ts";

/** Hits of a page if InstantSearch does not say, as in Algolia. */
const HITS_PER_PAGE = 20;

/** Parameters of Algolia that are read here or elsewhere in this client, or that only Algolia's own analysis uses. */
const KNOWN = new Set([
  ...["query", "page", "hitsPerPage", "facets", "facetFilters", "numericFilters", "maxValuesPerFacet"],
  ...["highlightPreTag", "highlightPostTag", "analytics", "clickAnalytics", "userToken", "ruleContexts"],
]);

/** The place of a page. */
export interface Paging {
  page: number;
  hitsPerPage: number;
}

export function pagingOf({ params = {} }: InstantRequest): Paging {
  return { page: Number(params.page ?? 0), hitsPerPage: Number(params.hitsPerPage ?? HITS_PER_PAGE) };
}

/** Returns the attributes whose facets a request asks for. Throws UnsupportedError for one that is not listed. */
export function facetsOf({ params = {}, indexName }: InstantRequest, { facets = {} }: Listing): string[] {
  const asked = [params.facets ?? []].flat().map(String);
  if (asked.includes("*")) return Object.keys(facets);
  const unknown = asked.find((attribute) => facets[attribute] === undefined);
  if (unknown === undefined) return asked;
  throw new UnsupportedError(`${unknown} is not among the facets of ${indexName}: add it there, and to its template`);
}

/** Returns the search that a request of InstantSearch stands for. Throws UnsupportedError if there is none. */
export function searchOf(request: InstantRequest, listing: Listing, userId: string | undefined): NamedSearch {
  const { params = {}, type = "default" } = request;
  if (type !== "default") throw new UnsupportedError(`requests of the type ${type} are not supported`);
  const unknown = Object.keys(params).filter((name) => params[name] !== undefined && !KNOWN.has(name));
  if (unknown.length > 0)
    throw new UnsupportedError(
      `not supported: ${unknown.join(", ")}. What every search has in common is up to its template`,
    );
  facetsOf(request, listing);
  const { page, hitsPerPage } = pagingOf(request);
  const query = String(params.query ?? "").trim();
  const hybrid = query === "" ? undefined : listing.hybridTemplate;
  const segments = listOf(params.ruleContexts).map(String);
  return {
    index: listing.index,
    template: hybrid ?? listing.template,
    ...(query !== "" && (hybrid ? { search_query: query } : { user_query: query })),
    ...(userId !== undefined && { user_id: userId }),
    ...(segments.length > 0 && { segments }),
    // Searches for nothing but the counts of a facet.
    ...(params.analytics === false && { is_logging_enable: false }),
    params: {
      size: hitsPerPage,
      from: page * hitsPerPage,
      ...(query !== "" && !hybrid && { query }),
      ...valueFilters(params.facetFilters, listing),
      ...rangeFilters(params.numericFilters, listing),
    },
  };
}

/** Returns the accepted values by field; a document must have one of them in each field. */
function valueFilters(filters: unknown, listing: Listing): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const group of listOf(filters)) {
    const pairs = listOf(group).map((filter) => attributeAndValue(String(filter), listing));
    const attributes = [...new Set(pairs.map(({ attribute }) => attribute))];
    const [attribute = ""] = attributes;
    if (attributes.length > 1)
      throw new UnsupportedError(
        `a value of one of ${attributes.join(" or ")} is not supported: only of one attribute`,
      );
    const name = parameterOf(attribute);
    if (found[name])
      throw new UnsupportedError(`several values of ${attribute} at once are not supported: use the operator "or"`);
    found[name] = pairs.map(({ value }) => value);
  }
  return found;
}

function attributeAndValue(filter: string, { facets = {} }: Listing) {
  const attribute = Object.keys(facets).find((name) => facets[name] === "values" && filter.startsWith(`${name}:`));
  if (attribute === undefined)
    throw new UnsupportedError(`the filter ${filter} is not about a listed facet with values`);
  const value = filter.slice(attribute.length + 1);
  if (value.startsWith("-")) throw new UnsupportedError(`the filter ${filter} is not supported: it leaves out a value`);
  // InstantSearch writes a backslash before a minus that is part of the value.
  return { attribute, value: value.replace(/^\\-/, "-") };
}

const NUMERIC = /^(.+?)\s*(<=|>=|!=|=|<|>)\s*(-?[\d.]+(?:e[-+]?\d+)?)$/i;

/** Returns the least and the greatest number that documents may have. */
function rangeFilters(filters: unknown, { facets = {} }: Listing): Record<string, number> {
  const found: Record<string, number> = {};
  for (const filter of listOf(filters)) {
    const [, attribute = "", operator = "", text] = (typeof filter === "string" && NUMERIC.exec(filter)) || [];
    const shown = JSON.stringify(filter);
    if (facets[attribute] !== "range") throw new UnsupportedError(`the filter ${shown} is not about a listed range`);
    if (!["<=", ">=", "="].includes(operator))
      throw new UnsupportedError(`the filter ${shown} is not supported: only <=, >= and = are`);
    const [value, name] = [Number(text), parameterOf(attribute)];
    const [min, max] = [`${name}_min`, `${name}_max`];
    if (operator !== "<=") found[min] = Math.max(value, found[min] ?? value);
    if (operator !== ">=") found[max] = Math.min(value, found[max] ?? value);
  }
  return found;
}

const listOf = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());
