import * as assert from "uvu/assert";
import type { TestGateway } from "../fixtures/gateway.ts";
import { API_KEY, HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("bad input");
const upstreams = await startUpstreams();
const gateways: TestGateway[] = [];
const start = async (options: Parameters<typeof startGateway>[0]) => {
  const gateway = await startGateway(options);
  gateways.push(gateway);
  return gateway;
};

/** What is wrong, the body, and the places that the answer must point at, each with a part of its message. */
type Case = [what: string, body: Record<string, unknown>, issues: Record<string, string>];

const MATCH = { match: { text: "salt" } };
const VALID_SEARCH = { index: "books", search_request: {} };
const VALID_HYBRID = {
  index: "books",
  search_query: "salt",
  search_request_template: { query: { hybrid: { queries: [MATCH, MATCH] } } },
};
const without = (body: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
const settings = (value: unknown) => ({ ...VALID_HYBRID, settings: value });
const template = (value: unknown) => ({ ...VALID_HYBRID, search_request_template: value });
const queries = (value: unknown) => template({ query: { hybrid: { queries: value } } });
const QUERIES = "search_request_template.query.hybrid.queries";

const COMMON = (valid: Record<string, unknown>): Case[] => [
  ["index missing", without(valid, "index"), { index: "is required" }],
  ["index a number", { ...valid, index: 5 }, { index: "must be a string, got 5" }],
  ["index empty", { ...valid, index: "" }, { index: "must not be empty" }],
  ["index an operation", { ...valid, index: "_search" }, { index: "must not start with _" }],
  ["index with a slash", { ...valid, index: "a/b" }, { index: "must not hold a slash" }],
  ["user_id a number", { ...valid, user_id: 7 }, { user_id: "must be a string, got 7" }],
  ["user_id empty", { ...valid, user_id: "" }, { user_id: "must not be empty" }],
  ["business_rules a list", { ...valid, business_rules: [] }, { business_rules: "must be an object, got Array" }],
  [
    "is_personalized_enabled a text",
    { ...valid, business_rules: { is_personalized_enabled: "yes" } },
    { "business_rules.is_personalized_enabled": 'must be true or false, got "yes"' },
  ],
  [
    "personalization_weight above 1",
    { ...valid, business_rules: { personalization_weight: 1.5 } },
    { "business_rules.personalization_weight": "must be a number from 0 to 1" },
  ],
  [
    "personalization_context with a number",
    { ...valid, business_rules: { personalization_context: { DEVICE: 1 } } },
    { "business_rules.personalization_context.DEVICE": "must be a string, got 1" },
  ],
  ["an unknown rule", { ...valid, business_rules: { boost: 1 } }, { "business_rules.boost": "is not a known field" }],
  ["a segment of two words", { ...valid, segments: ["vip", "a b"] }, { "segments.1": "must be 1 to 64 letters" }],
  ["is_logging_enable a text", { ...valid, is_logging_enable: "no" }, { is_logging_enable: "must be true or false" }],
  ["an unknown field", { ...valid, idnex: "a" }, { idnex: "is not a known field" }],
  [
    "several things at once",
    { ...without(valid, "index"), user_id: 7, extra: 1 },
    { index: "is required", user_id: "must be a string", extra: "is not a known field" },
  ],
];

const SEARCH: Case[] = [
  ...COMMON(VALID_SEARCH),
  ["search_request missing", { index: "books" }, { search_request: "is required" }],
  ["search_request a list", { ...VALID_SEARCH, search_request: [] }, { search_request: "must be an object" }],
  ["search_request a text", { ...VALID_SEARCH, search_request: "x" }, { search_request: "must be an object" }],
];

const HYBRID: Case[] = [
  ...COMMON(VALID_HYBRID),
  ["search_query missing", without(VALID_HYBRID, "search_query"), { search_query: "is required" }],
  ["search_query blank", { ...VALID_HYBRID, search_query: "  " }, { search_query: "must not be empty" }],
  ["template missing", without(VALID_HYBRID, "search_request_template"), { search_request_template: "is required" }],
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
  [
    "a pipeline",
    template({ ...(queries([MATCH]).search_request_template as object), search_pipeline: "p" }),
    {
      "search_request_template.search_pipeline": "must be an object with response_processors",
    },
  ],
  [
    "other parts of a pipeline",
    template({
      ...(queries([MATCH]).search_request_template as object),
      search_pipeline: { phase_results_processors: [], request_processors: [], response_processors: [] },
    }),
    {
      "search_request_template.search_pipeline.phase_results_processors": "only response_processors may be given",
      "search_request_template.search_pipeline.request_processors": "only response_processors may be given",
    },
  ],
  [
    "response processors that are none",
    template({
      ...(queries([MATCH]).search_request_template as object),
      search_pipeline: { response_processors: [{ a: {}, b: {} }] },
    }),
    { "search_request_template.search_pipeline.response_processors": "each an object with one key" },
  ],
  [
    "a depth",
    template({ query: { hybrid: { queries: [MATCH], pagination_depth: 5 } } }),
    {
      "search_request_template.query.hybrid.pagination_depth": "set by the gateway",
    },
  ],
  [
    "size a text",
    template({ ...(queries([MATCH]).search_request_template as object), size: "10" }),
    {
      "search_request_template.size": "must be a whole number",
    },
  ],
  [
    "from negative",
    template({ ...(queries([MATCH]).search_request_template as object), from: -1 }),
    {
      "search_request_template.from": "must be a whole number",
    },
  ],
  ["weights that sum to 0.9", settings({ weights: [0.4, 0.5] }), { "settings.weights": "must sum to 1, got 0.9" }],
  ["3 weights", settings({ weights: [0.3, 0.3, 0.4] }), { "settings.weights": "2 subqueries, 3 weights" }],
  [
    "a weight above 1",
    settings({ weights: [1.5, -0.5] }),
    {
      "settings.weights.0": "must be a number from 0 to 1",
      "settings.weights.1": "must be a number from 0 to 1",
    },
  ],
  ["a weight that is a text", settings({ weights: ["0.5", 0.5] }), { "settings.weights.0": "must be a number" }],
  [
    "an unknown normalization",
    settings({ normalization: "mean" }),
    {
      "settings.normalization": 'must be "min_max" or "l2" or "z_score", got "mean"',
    },
  ],
  ["an unknown combination", settings({ combination: "max" }), { "settings.combination": "arithmetic_mean" }],
  ["an unknown setting", settings({ wieghts: [1] }), { "settings.wieghts": "is not a known field" }],
  [
    "an unknown token",
    queries([{ knn: { text_dense: { vector: "[nope]", k: 3 } } }]),
    {
      [`${QUERIES}.0.knn.text_dense.vector`]: "tokens are [text_dense], [text_sparse]",
    },
  ],
  [
    "a token of the wrong kind",
    queries([{ bool: { should: "[text_dense]" } }]),
    {
      [`${QUERIES}.0.bool.should`]: "is a dense embedding",
    },
  ],
];

const all = await clusters();

for (const cluster of all) {
  const index = uniqueIndex("bad");
  const alias = uniqueIndex("alias");
  let gateway: TestGateway;

  test.before(async () => {
    gateway = await start({ node: cluster.url, settings: { indexes: [hybridIndex("books"), hybridIndex(index)] } });
    await request(cluster, "PUT", "/books", HYBRID_MAPPING);
    await request(cluster, "PUT", `/${index}`, { ...HYBRID_MAPPING, aliases: { [alias]: {} } });
  });

  for (const [path, cases] of [
    ["/application/search", SEARCH],
    ["/application/hybrid-search", HYBRID],
  ] as const) {
    for (const [what, body, issues] of cases) {
      test(`${cluster.version}: ${path}: ${what}`, async () => {
        const { status, body: answer, headers } = await gateway.post(path, body);
        assert.is(status, 400, JSON.stringify(answer));
        assert.is(answer.error.code, "invalid_request");
        assert.is(answer.error.request_id, headers.get("x-request-id"));
        assert.equal(answer.error.issues.map((issue) => issue.path).sort(), Object.keys(issues).sort());
        for (const issue of answer.error.issues) assert.match(issue.message, issues[issue.path] ?? "no such issue");
      });
    }
  }

  test(`${cluster.version}: hybrid search on an unknown index is 404`, async () => {
    const { status, body } = await gateway.post("/application/hybrid-search", { ...VALID_HYBRID, index: "nope" });
    assert.is(status, 404);
    assert.is(body.error.code, "index_not_found");
  });

  test(`${cluster.version}: hybrid search on an alias uses the mapping of its index`, async () => {
    const queries_ = [{ knn: { text_dense: { vector: "[text_dense]", k: 3 } } }];
    const { status, text } = await gateway.post("/application/hybrid-search", { ...queries(queries_), index: alias });
    assert.is(status, 200, text);
  });

  test(`${cluster.version}: a subquery that the cluster refuses is 422 with its cause`, async () => {
    const { status, body } = await gateway.post("/application/hybrid-search", queries([{ mach: {} }]));
    assert.is(status, 422);
    assert.match(body.error.cause.reason, "mach");
  });
}

const [cluster] = all;
let gateway: TestGateway;
const MiB = 1024 * 1024;
const post = (body: string, headers: Record<string, string> = {}) =>
  gateway.send("POST", "/application/search", { body, headers: { "content-type": "application/json", ...headers } });

test.before(async () => {
  gateway = await start({ node: cluster?.url ?? "", settings: { cors: { allow_origins: ["https://shop.example"] } } });
});

for (const [what, text, message] of [
  ["a body that is not JSON", '{"index": "a",}', "The body is not valid JSON"],
  ["no body", "", "The request has no body"],
] as const) {
  test(`${what} is 400`, async () => {
    const { status, body } = await post(text);
    assert.equal([status, body.error.message.slice(0, message.length)], [400, message]);
  });
}

test("another content type is 415", async () => {
  const { status, body } = await post("{}", { "content-type": "text/plain" });
  assert.equal([status, body.error.code], [415, "unsupported_media_type"]);
  assert.match(body.error.message, "got text/plain");
});

test("a body just under 4 MiB is read; one just over is 413, and the answer names the limit", async () => {
  const padded = (bytes: number) => {
    const start_ = '{"index":"books","search_request":{"query":{"match_none":{}},"_source":["';
    return `${start_}${"x".repeat(bytes - start_.length - 4)}"]}}`;
  };
  assert.is(padded(4 * MiB).length, 4 * MiB);
  assert.is.not((await post(padded(4 * MiB))).status, 413);
  const over = await post(padded(4 * MiB + 1));
  assert.equal([over.status, over.body.error.code], [413, "payload_too_large"]);
  assert.match(over.body.error.message, "has 4194305 bytes, at most 4194304");
});

test("a missing key and a wrong key get the same 403", async () => {
  const answer = async (key: Record<string, string>) => {
    const headers = { "content-type": "application/json", ...key };
    const response = await fetch(`${gateway.url}/application/search`, { method: "POST", body: "{}", headers });
    const { error } = (await response.json()) as { error: { request_id?: string } };
    return { status: response.status, ...error, request_id: undefined };
  };
  const missing = await answer({});
  assert.is(missing.status, 403);
  assert.equal(await answer({ "x-api-key": `${API_KEY}x` }), missing);
});

test("an unknown path is 404; a wrong method is 405 with an allow header", async () => {
  const unknown = await gateway.send("GET", "/application/serach");
  assert.equal([unknown.status, unknown.body.error.code], [404, "not_found"]);
  const method = await gateway.send("GET", "/application/search");
  assert.equal([method.status, method.headers.get("allow")], [405, "POST"]);
});

test("a preflight of a configured origin is answered without a key, another origin gets no permission", async () => {
  const preflight = await fetch(`${gateway.url}/application/search`, {
    method: "OPTIONS",
    headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
  });
  assert.is(preflight.status, 204);
  assert.is(preflight.headers.get("access-control-allow-origin"), "https://shop.example");
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", "x-api-key");
  const other = await gateway.send("GET", "/nowhere", { headers: { origin: "https://evil.example" } });
  assert.is(other.headers.get("access-control-allow-origin"), null);
});

test.after(async () => {
  for (const started of gateways) await started.stop();
  await upstreams.stop();
});

test.run();
