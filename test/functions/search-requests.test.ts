import * as assert from "uvu/assert";
import { hybridSearchFamily } from "../../functions/api-router/hybrid-search.ts";
import { searchFamily } from "../../functions/api-router/search.ts";
import { OPEN } from "../../lib/platform/http/access.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import { capabilitiesOf } from "../../lib/search/opensearch/capabilities-of.ts";
import { HYBRID_MAPPING, hybridIndex, SETTINGS } from "../fixtures/gateway.ts";
import { call } from "../lib/platform/http/calls.ts";
import { suite } from "../suite.ts";

const test = suite("searches that are refused with the places of what is wrong");

const fields = new Map(Object.entries(HYBRID_MAPPING.mappings.properties));
const services = {
  settings: { ...SETTINGS, indexes: [hybridIndex("books")] },
  api: { log: () => {}, project: "shop", access: OPEN },
  cluster: { send: () => Promise.reject(new Error("the cluster is called")) },
  catalog: {
    resolve: async () => [{ name: "books", aliases: new Map(), fields, maxResultWindow: 10_000, hasNested: false }],
  },
  capabilities: async () => capabilitiesOf("3.6.0"),
  logRequest: () => {},
} as unknown as GatewayServices;
const handlers = { ...searchFamily(services), ...hybridSearchFamily(services) };

/** What is wrong, the body, and the places that the answer must point at, each with a part of its message. */
type Case = [what: string, body: Record<string, unknown>, issues: Record<string, string>];

const MATCH = { match: { text: "salt" } };
const SEARCH = { index: "books", search_request: {} };
const HYBRID = {
  index: "books",
  search_query: "salt",
  search_request_template: { query: { hybrid: { queries: [MATCH, MATCH] } } },
};
const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
const settings = (value: object) => ({ ...HYBRID, settings: value });
const template = (search_request_template: object) => ({ ...HYBRID, search_request_template });
const queries = (value: unknown, more: object = {}) => template({ query: { hybrid: { queries: value } }, ...more });
const rules = (business_rules: unknown) => ({ business_rules });

const QUERIES = "search_request_template.query.hybrid.queries";
const PIPELINE = "search_request_template.search_pipeline";

const ofBoth = (valid: Record<string, unknown>): Case[] => [
  ["index missing", without(valid, "index"), { index: "is required" }],
  ["index a number", { ...valid, index: 5 }, { index: "must be a string, got 5" }],
  ["index empty", { ...valid, index: "" }, { index: "must not be empty" }],
  ["user_id empty", { ...valid, user_id: "" }, { user_id: "must not be empty" }],
  ["business_rules a list", { ...valid, ...rules([]) }, { business_rules: "must be an object, got Array" }],
  ...Object.entries({
    is_personalized_enabled: ["yes", 'must be true or false, got "yes"'],
    personalization_weight: [1.5, "must be a number from 0 to 1"],
    boost: [1, "is not a known field"],
  }).map(
    ([rule, [value, message]]): Case => [
      `rule ${rule}`,
      { ...valid, ...rules({ [rule]: value }) },
      { [`business_rules.${rule}`]: String(message) },
    ],
  ),
  [
    "context with a number",
    { ...valid, ...rules({ personalization_context: { DEVICE: 1 } }) },
    { "business_rules.personalization_context.DEVICE": "must be a string, got 1" },
  ],
  ["is_logging_enable a text", { ...valid, is_logging_enable: "no" }, { is_logging_enable: "must be true or false" }],
  ["locale with _", { ...valid, locale: "de_AT" }, { locale: "" }],
  ["too many candidates", { ...valid, rerank: { candidates: 201 } }, { "rerank.candidates": "" }],
  ...Object.entries({
    "groups.field": { groups: { field: "g*", max: 1 } },
    "groups.max": { groups: { field: "genre", max: 0 } },
    "similarity.weight": { similarity: { field: "genre", weight: 2 } },
  }).map(([place, variety]): Case => [`variety ${place}`, { ...valid, variety }, { [`variety.${place}`]: "" }]),
  [
    "several things at once",
    { ...without(valid, "index"), user_id: 7, extra: 1 },
    { index: "is required", user_id: "must be a string", extra: "is not a known field" },
  ],
];

const CASES: Readonly<Record<string, Case[]>> = {
  "/application/search": [
    ...ofBoth(SEARCH),
    ["search_request missing", { index: "books" }, { search_request: "is required" }],
    ["search_request a list", { ...SEARCH, search_request: [] }, { search_request: "must be an object" }],
  ],
  "/application/hybrid-search": [
    ...ofBoth(HYBRID),
    ["search_query missing", without(HYBRID, "search_query"), { search_query: "is required" }],
    ["search_query blank", { ...HYBRID, search_query: "  " }, { search_query: "must not be empty" }],
    ["template missing", without(HYBRID, "search_request_template"), { search_request_template: "is required" }],
    ["no hybrid query", template({ query: MATCH }), { "search_request_template.query": "one hybrid query" }],
    [
      "a query beside the hybrid one",
      template({ query: { hybrid: { queries: [MATCH] }, match_all: {} } }),
      { "search_request_template.query": "nothing else beside it" },
    ],
    ["queries not a list", queries({}), { [QUERIES]: "must be an array of 1 to 5" }],
    ["no subquery", queries([]), { [QUERIES]: "must hold 1 to 5 subqueries, got 0" }],
    ["6 subqueries", queries(Array(6).fill(MATCH)), { [QUERIES]: "must hold 1 to 5 subqueries, got 6" }],
    ["a subquery that is none", queries([MATCH, "x"]), { [`${QUERIES}.1`]: "must be a query" }],
    ["a pipeline", queries([MATCH], { search_pipeline: "p" }), { [PIPELINE]: "an object with response_processors" }],
    [
      "another part of a pipeline",
      queries([MATCH], { search_pipeline: { request_processors: [], response_processors: [] } }),
      { [`${PIPELINE}.request_processors`]: "only response_processors may be given" },
    ],
    [
      "response processors that are none",
      queries([MATCH], { search_pipeline: { response_processors: [{ a: {}, b: {} }] } }),
      { [`${PIPELINE}.response_processors`]: "each an object with one key" },
    ],
    [
      "a depth",
      template({ query: { hybrid: { queries: [MATCH], pagination_depth: 5 } } }),
      { "search_request_template.query.hybrid.pagination_depth": "set by the gateway" },
    ],
    ["size a text", queries([MATCH], { size: "10" }), { "search_request_template.size": "must be a whole number" }],
    ["from negative", queries([MATCH], { from: -1 }), { "search_request_template.from": "must be a whole number" }],
    ["weights that sum to 0.9", settings({ weights: [0.4, 0.5] }), { "settings.weights": "must sum to 1, got 0.9" }],
    ["3 weights", settings({ weights: [0.3, 0.3, 0.4] }), { "settings.weights": "2 subqueries, 3 weights" }],
    [
      "weights out of bounds",
      settings({ weights: [1.5, -0.5] }),
      { "settings.weights.0": "must be a number from 0 to 1", "settings.weights.1": "must be a number from 0 to 1" },
    ],
    ["a weight that is a text", settings({ weights: ["0.5", 0.5] }), { "settings.weights.0": "must be a number" }],
    [
      "an unknown normalization",
      settings({ normalization: "mean" }),
      { "settings.normalization": 'must be "min_max" or "l2" or "z_score", got "mean"' },
    ],
    ["an unknown combination", settings({ combination: "max" }), { "settings.combination": "arithmetic_mean" }],
    ["an unknown setting", settings({ wieghts: [1] }), { "settings.wieghts": "is not a known field" }],
    [
      "an unknown token",
      queries([{ knn: { text_dense: { vector: "[nope]", k: 3 } } }]),
      { [`${QUERIES}.0.knn.text_dense.vector`]: "tokens are [text_dense], [text_sparse]" },
    ],
    [
      "a token of the wrong kind",
      queries([{ bool: { should: "[text_dense]" } }]),
      { [`${QUERIES}.0.bool.should`]: "is a dense embedding" },
    ],
  ],
};

for (const [path, cases] of Object.entries(CASES)) {
  for (const [what, body, issues] of cases) {
    test(`${path}: ${what}`, async () => {
      const handler = handlers[path];
      const result = await (handler && call(handler, { body: JSON.stringify(body) }, () => 28_000));
      assert.is(result?.statusCode, 400, result?.body);
      const { error } = JSON.parse(result?.body ?? "") as {
        error: { code: string; issues: Array<{ path: string; message: string }> };
      };
      assert.is(error.code, "invalid_request");
      assert.equal(error.issues.map((issue) => issue.path).sort(), Object.keys(issues).sort());
      for (const issue of error.issues) assert.match(issue.message, issues[issue.path] ?? "no such issue");
    });
  }
}

test.run();
