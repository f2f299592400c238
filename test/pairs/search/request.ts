import type { GatewaySettings } from "../../../lib/search/gateway/settings.ts";
import { featuresOf, type Native, pageOf, plainQuery, processorsOf, subqueriesOf, type Vectors } from "./body.ts";
import { BOOST } from "./boost.ts";
import type { SearchRow } from "./dimensions.ts";
import { wholeFilter } from "./filter.ts";
import { SEGMENTS, textOf } from "./rules.ts";
import { VARIETY } from "./variety.ts";
import type { World } from "./world.ts";

export const USER = "reader-1";

/** The settings of a request, by the value of the dimension. */
export function settingsOf({ settings, queries }: SearchRow): Native | undefined {
  const count = queries.length;
  const weights = Array.from({ length: count }, (_, at) => (at + 1) / ((count * (count + 1)) / 2));
  return {
    none: undefined,
    weights: { weights },
    l2_geometric: { normalization: "l2", combination: "geometric_mean" },
    rrf: { combination: "rrf" },
    z_score: { normalization: "z_score", combination: "arithmetic_mean" },
  }[settings];
}

const TOKENS: Vectors = {
  knn: (field, k, filter) => ({ knn: { [field]: { vector: `[${field}]`, k, ...(filter && { filter }) } } }),
  clauses: "[text_sparse]",
  tokens: "[text_sparse]",
};

/** The templates that a case names: with an experiment the variants have one each. */
export const templatesOf = (start: string): readonly [string, string] => [`${start}one`, `${start}two`];

/** The settings of the variants of an experiment. */
export const VARIANTS = [
  { name: "even", settings: {} },
  { name: "steep", settings: { normalization: "l2", combination: "harmonic_mean" } },
] as const;

/** Returns the body as a caller writes it. The second template of an experiment searches other words. */
function bodyOf(row: SearchRow, world: World, literal: Vectors, text: string, size: unknown, isSecond = false): Native {
  const { from } = pageOf(row);
  const vectors = world.entry ? TOKENS : literal;
  const queries = subqueriesOf(row, text, vectors).map(({ query }) => query);
  if (isSecond) queries[0] = SECOND;
  const query =
    row.queries === "plain"
      ? plainQuery(row, text)
      : { hybrid: { queries, ...(row.filter === "beside" && { filter: wholeFilter(row) }) } };
  const processors = processorsOf(row);
  return {
    size,
    ...(from > 0 && { from }),
    query,
    ...featuresOf(row),
    ...(processors.length > 0 && { search_pipeline: { response_processors: processors } }),
  };
}

/** The first subquery of the second template. */
export const SECOND = { match: { text: "lamp oak" } };

/** Returns the part of the gateway's settings that a case needs. */
export function caseSettings(start: string, row: SearchRow, world: World, literal: Vectors) {
  const templates: GatewaySettings["templates"] = templatesOf(start).map((name, at) => ({
    name,
    search_request_template: bodyOf(
      row,
      world,
      literal,
      "[search_query]",
      "[params.size]",
      at === 1 && row.experiment === "templates",
    ),
    params: {},
    parameters: [{ name: "size", type: "number", min: 0, max: 50, default: 10 }],
  }));
  const experiments: GatewaySettings["experiments"] =
    row.experiment === "none"
      ? []
      : [
          {
            name: `${start}experiment`,
            index: `${start}*`,
            kind: row.experiment === "interleave" ? "interleave" : "split",
            variants: VARIANTS.map(({ name, settings }, at) => ({
              name,
              share: 0.5,
              ...(row.experiment === "templates" ? { template: templatesOf(start)[at], settings: {} } : { settings }),
            })),
          },
        ];
  return { templates: row.carrier === "template" ? templates : [], experiments, indexes: world.entries };
}

/** Returns path and body of a case's request. */
export function requestOf(start: string, row: SearchRow, world: World, literal: Vectors) {
  const isPlain = row.queries === "plain";
  const text = textOf(row);
  const settings = settingsOf(row);
  const asked = [row.ranking === "on", row.experiment !== "none"];
  const carried =
    row.carrier === "template"
      ? { template: templatesOf(start)[0], params: { size: pageOf(row).size } }
      : {
          [isPlain ? "search_request" : "search_request_template"]: bodyOf(row, world, literal, text, pageOf(row).size),
        };
  const body = JSON.stringify({
    index: world.expression,
    [isPlain ? "user_query" : "search_query"]: text,
    ...carried,
    ...(settings && { settings }),
    ...(asked.includes(true) && { user_id: USER }),
    ...(row.rerank === "request" && { rerank: {} }),
    ...(row.boost === "request" && { boost: BOOST }),
    ...(row.variety === "request" && { variety: VARIETY }),
    ...(SEGMENTS[row.segments] && { segments: SEGMENTS[row.segments] }),
    ...(row.filter === "request" && { filter: wholeFilter(row) }),
    ...(row.no_hits !== "no" && { no_hits: row.no_hits }),
    ...(asked[0] && { business_rules: { is_personalized_enabled: true } }),
  });
  const path = isPlain ? "/application/search" : "/application/hybrid-search";
  return { path, body };
}
