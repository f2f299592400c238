import * as fc from "fast-check";
import * as assert from "uvu/assert";
import type * as v from "valibot";
import { openApiJson, recommendationOpenApiJson } from "../../build/reference.ts";
import { ApiError, type Issue } from "../../lib/platform/http/error.ts";
import { validate } from "../../lib/platform/http/validate.ts";
import {
  LogEvent,
  RankItems,
  RecommendToItem,
  RecommendToUser,
  UpdateItems,
  UpdateUsers,
} from "../../lib/recommendation/api/requests.ts";
import { eventParser } from "../../lib/recommendation/records/event.ts";
import { profileParser } from "../../lib/recommendation/records/profile.ts";
import type { Parsed } from "../../lib/recommendation/records/value.ts";
import { BulkRequest } from "../../lib/search/bulk/request.ts";
import { namedTemplate } from "../../lib/search/run/named-template.ts";
import { AnySearchRequest } from "../../lib/search/run/request.ts";
import { HybridRequest } from "../../lib/search/sources/hybrid/request.ts";
import { readTemplate } from "../../lib/search/sources/hybrid/template.ts";
import { bodiesOf, type OpenApi, type Overrides, schemaCompiler } from "../fixtures/bodies.ts";
import { SHOP_DEFINITIONS } from "../functions/recommendation-api/definitions.ts";
import { suite } from "../suite.ts";

const test = suite("request schemas of the OpenAPI documents");

const RUNS = 2_000;
const SEED = 20_261_122;

const gateway: OpenApi = JSON.parse(openApiJson());
const recommendation: OpenApi = JSON.parse(recommendationOpenApiJson());

/** Refusals that JSON Schema cannot express; the descriptions state them. */
const BEYOND_SCHEMA =
  /must sum to 1|needs a SESSION_ID|one weight a subquery|bytes in UTF-8|not starting with _|made by the gateway|set by the gateway|is not a parameter of this template|must have one of decay, number and values|must have a scale above 0,|a day such as 2026-12-01|later than tomorrow|a text like "a\|b"/;

const issuesOf = (schema: v.GenericSchema, body: unknown): readonly Issue[] => issuesIn(() => validate(schema, body));

const issuesIn = (work: () => unknown): readonly Issue[] => {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.issues;
  }
};

const NAMED = {
  name: "by_title",
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "[search_query]" } }] } } },
  params: {},
};

const PLAIN = { ...NAMED, search_request_template: { query: { match_all: {} } } };

const searchIssues = (body: unknown): readonly Issue[] => {
  const text = JSON.stringify(body);
  return issuesIn(() => {
    const { template: name } = validate(AnySearchRequest, JSON.parse(text));
    if (name == null) return;
    const asked = { endpoint: "search", name, queryMember: "user_query", bodyMember: "search_request" } as const;
    namedTemplate({ templates: [PLAIN] }, asked, text);
  });
};

const hybridIssues = (body: unknown): readonly Issue[] => {
  const text = JSON.stringify(body);
  return issuesIn(() => {
    const request = validate(HybridRequest, JSON.parse(text));
    const { search_request_template: own, template: name } = request;
    const members = { queryMember: "search_query", bodyMember: "search_request_template" } as const;
    const named = () =>
      namedTemplate({ templates: [NAMED] }, { ...members, endpoint: "hybrid-search", name: name ?? "" }, text);
    readTemplate(own ? JSON.stringify(own) : named().text, request.settings.weights);
  });
};

const definitions = SHOP_DEFINITIONS;
const parsers = {
  items: profileParser("item", definitions),
  users: profileParser("user", definitions),
  events: eventParser(definitions, { now: () => 3_900_000_000, id: () => "made-up" }),
};

/** Returns the issues of an upload and its records, except those of the deployment's own columns. */
const uploadIssues =
  (field: keyof typeof parsers, schema: v.GenericSchema, known: readonly string[]) => (body: unknown) => {
    const issues = issuesOf(schema, body);
    if (issues.length > 0) return issues;
    const parse: (record: unknown) => Parsed<unknown> = parsers[field];
    const values = (body as Record<string, unknown[]>)[field] ?? [];
    return values
      .map(parse)
      .flatMap((parsed) => ("issues" in parsed ? parsed.issues : []))
      .filter(({ path, message }) => known.includes(path) || message.startsWith("must be an object"));
  };

const EVENT = [
  "USER_ID",
  "ITEM_ID",
  "EVENT_TYPE",
  "EVENT_VALUE",
  "TIMESTAMP",
  "IMPRESSION",
  "SESSION_ID",
  "EVENT_ID",
  "RECOMMENDATION_ID",
];

const weights = fc.constantFrom(null, [1], [0.5, 0.5], [0.2, 0.3, 0.5], [0.5], [], [1, 0, 0, 0, 0, 0], ["1"], [2, -1]);

const NativeQuery = fc.constantFrom({ match: { title: "salt" } }, { match_all: {} }, { match_all: {} }, {});

/** The document cannot know the names of a deployment. */
const template = fc.constantFrom(NAMED.name, 1, {});

/** Patterns cannot distinguish half of a surrogate pair from a whole one. */
const HALF_A_PAIR = /\\ud[89a-f]/;

interface Case {
  document: OpenApi;
  path: string;
  issues: (body: unknown) => readonly Issue[];
  overrides?: Overrides;
}

const CASES: readonly Case[] = [
  { document: gateway, path: "/application/bulk", issues: (body) => issuesOf(BulkRequest, body) },
  { document: gateway, path: "/application/search", issues: searchIssues, overrides: { template } },
  {
    document: gateway,
    path: "/application/hybrid-search",
    issues: hybridIssues,
    overrides: { weights, NativeQuery, template },
  },
  { document: recommendation, path: "/recommend-items-to-user", issues: (body) => issuesOf(RecommendToUser, body) },
  { document: recommendation, path: "/recommend-items-to-item", issues: (body) => issuesOf(RecommendToItem, body) },
  { document: recommendation, path: "/rank-items-to-user", issues: (body) => issuesOf(RankItems, body) },
  {
    document: recommendation,
    path: "/update-items",
    issues: uploadIssues("items", UpdateItems, ["ITEM_ID", "IS_ACTIVE"]),
  },
  {
    document: recommendation,
    path: "/update-users",
    issues: uploadIssues("users", UpdateUsers, ["USER_ID", "IS_ACTIVE"]),
  },
  { document: recommendation, path: "/log-event", issues: uploadIssues("events", LogEvent, EVENT) },
];

for (const { document, path, issues, overrides } of CASES) {
  test(`${path}: the schema accepts and rejects what the service accepts and rejects`, () => {
    const content = document.paths[path]?.post?.requestBody?.content["application/json"];
    if (!content) throw new Error(`${path} has no body`);
    const accepts = schemaCompiler(document)(content.schema);
    assert.ok(accepts(content.example), "the example");
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(bodiesOf(content.schema, document, overrides), (generated) => {
        // As the service receives it: JSON.parse makes keys such as __proto__ plain ones.
        const body: unknown = JSON.parse(JSON.stringify(generated));
        const found = issues(body);
        const accepted = accepts(body);
        if (accepted) seen.accepted += 1;
        else seen.refused += 1;
        if (accepted && found.length > 0) {
          const text = JSON.stringify(body);
          return HALF_A_PAIR.test(text) || found.every(({ message }) => BEYOND_SCHEMA.test(message));
        }
        return accepted === (found.length === 0);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // The test proves something only if both kinds occur.
    assert.ok(seen.accepted > RUNS / 10 && seen.refused > RUNS / 10, JSON.stringify(seen));
  });
}

test("allow null for an optional field", () => {
  const search = { index: "books", search_request: {}, user_id: null, business_rules: null, is_logging_enable: null };
  assert.equal(validate(AnySearchRequest, search), {
    index: "books",
    search_request: {},
    user_id: null,
    business_rules: { is_personalized_enabled: false },
    is_logging_enable: true,
  });
  const settings = { weights: null, normalization: null, combination: null };
  const hybrid = { index: "books", search_query: "salt", search_request_template: {} };
  for (const given of [null, settings]) {
    assert.equal(validate(HybridRequest, { ...hybrid, settings: given }).settings, {
      weights: null,
      normalization: null,
      combination: null,
    });
  }
  const recommend = {
    user_id: "U1",
    limit: 1,
    filter_name: "",
    filter_value_dict: {},
    exclude_item_ids: null,
    context: null,
  };
  assert.equal(issuesOf(RecommendToUser, recommend), []);
});

test.run();
