import * as assert from "uvu/assert";
import { SUGGESTIONS_BODY } from "../../lib/search/suggest/index-body.ts";
import { suggestionsAlias, suggestionsIndex } from "../../lib/search/suggest/name.ts";
import { corpus } from "../fixtures/corpus.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import {
  API_KEY,
  hybridIndex,
  type Json,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { bearer, TOKENS } from "../fixtures/tokens.ts";
import { suite } from "../suite.ts";

const test = suite("tokens with a filter");
await startUpstreams();

const ALL = { query: { match_all: {} }, size: 100, track_total_hits: true };
const HYBRID = {
  query: { hybrid: { queries: [{ match_all: {} }, { knn: { text_dense: { vector: "[text_dense]", k: 90 } } }] } },
};

for (const cluster of await clusters()) {
  const index = uniqueIndex("tokens");
  let gateway: TestGateway;
  let token: { authorization: string };
  let writer: { authorization: string; "x-api-key": string };
  let genre = "";
  const post = (path: string, body: object, headers: object = token) =>
    gateway.post<Json>(path, body, { "x-api-key": API_KEY, ...headers });
  const genres = (text: string) => new Set([...text.matchAll(/\\?"genre\\?":\s*\\?"(\w+)/g)].map(([, one]) => one));

  test.before(async () => {
    writer = { "x-api-key": API_KEY, ...(await bearer({})) };
    gateway = await startGateway({
      node: cluster.url,
      env: { API_KEYS: "key-1=app" },
      settings: {
        indexes: [hybridIndex(index, { suggest: { titles: { field: "text", filter_fields: ["genre"] }, never: [] } })],
        templates: [{ name: "all", search_request_template: ALL, params: {}, parameters: [] }],
        keys: [
          {
            ...{ name: "app", raw_backend: "all", tokens: { ...TOKENS, required: true } },
            endpoints: ["search", "hybrid-search", "suggest", "bulk", "raw-backend"],
          },
        ],
      },
    });
    const documents = corpus(60);
    await fillIndex(cluster, { ...gateway, post: (path, body) => gateway.post(path, body, writer) }, index, documents);
    const { body } = await request<Json>(cluster, "GET", `/${index}/_search?size=1`);
    genre = String((body as never as Json["search_response"]).hits.hits[0]?._source.genre);
    token = await bearer({ filter: { genre }, user_id: "u" });
    const name = suggestionsIndex(index, "20260101-000000-0000");
    await request(cluster, "PUT", `/${name}`, { ...SUGGESTIONS_BODY, aliases: { [suggestionsAlias(index)]: {} } });
    const titles = [
      ...["own", "other"].map((text) => ({ text: `salt ${text}`, source: "titles", weight: 1, key: text })),
      { text: "salt own", source: "titles", weight: 1, key: "own", values: [`genre="${genre}"`, 'genre="x"'] },
      { text: "salt own", source: "titles", weight: 1, key: "own", values: [`genre="${genre}"`] },
      { text: "salt other", source: "titles", weight: 1, key: "other", values: ['genre="x"'] },
      { text: "salt search", source: "searches", weight: 9, key: "search" },
    ];
    for (const [id, one] of titles.entries()) await request(cluster, "PUT", `/${name}/_doc/${id}?refresh=true`, one);
  });
  test(`${cluster.version}: every endpoint shows documents of the filter alone`, async () => {
    const search = { index, search_request: { ...ALL, aggs: { genre: { terms: { field: "genre" } } } } };
    const hybrid = { index, search_query: "salt harbour", search_request_template: HYBRID };
    const arguments_ = { index };
    const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_all", arguments: arguments_ } };
    const paths: Array<[string, object]> = [
      ["/application/search", search],
      ["/application/hybrid-search", hybrid],
      ["/application/multi-search", { searches: [{ index, template: "all" }] }],
      ["/mcp", rpc],
    ];
    for (const [path, body] of paths) {
      const { status, text } = await post(path, body);
      assert.is(status, 200, text);
      assert.equal([...genres(text)], [genre], path);
    }
    const { body: plain } = await post("/application/search", search);
    const own = await request<{ count: number }>(cluster, "GET", `/${index}/_count?q=genre:${genre}`);
    assert.is(plain.search_response.hits.total.value, own.body.count);
    assert.is(plain.search_response.aggregations.genre?.buckets.length, 1);
    assert.is(plain.user_id, "u");
    const { body: candidates } = await post("/application/hybrid-search/candidates", hybrid);
    const lists = candidates.subqueries as Array<{ shards: Array<{ hits: unknown[] }> }>;
    for (const { shards } of lists) assert.is(shards.flatMap(({ hits }) => hits).length, own.body.count);
    const line = JSON.parse(gateway.log.at(-1) ?? "{}");
    assert.equal([line.user_id, line.query_attributes.subject], ["u", "anna"]);
  });

  test(`${cluster.version}: suggestions are titles of the filter's documents`, async () => {
    const texts = async (headers: object) => {
      const { body, text } = await post("/application/suggest", { index, text: "salt" }, headers);
      assert.ok(body.suggestions, text);
      return (body.suggestions as Array<{ text: string }>).map((one) => one.text).sort();
    };
    assert.equal(await texts(token), ["salt own"]);
    assert.equal(await texts(writer), ["salt other", "salt own"]);
    assert.equal(await texts(await bearer({ filter: { year: 1 } })), []);
  });

  test(`${cluster.version}: what the filter does not reach is refused by name`, async () => {
    const body = (search_request: object) => ["/application/search", { index, search_request }] as const;
    const terms = { terms: { field: "genre", min_doc_count: 0 } };
    const refused: Array<readonly [number, RegExp, string, object]> = [
      [400, /global aggregation/, ...body({ aggs: { all: { global: {} } } })],
      [400, /min_doc_count/, ...body({ aggs: { all: terms } })],
      [400, /significant_terms/, ...body({ aggs: { all: { significant_terms: { field: "genre" } } } })],
      [400, /suggesters/, ...body({ suggest: { one: { text: "a", term: { field: "text" } } } })],
      [400, /profile/, ...body({ profile: true })],
      [403, /names a document/, ...body({ query: { terms: { genre: { index, id: "1", path: "genre" } } } })],
      [
        403,
        /reads another document/,
        ...body({ query: { more_like_this: { fields: ["text"], like: [{ _id: "1" }] } } }),
      ],
      [403, /percolate/, ...body({ query: { percolate: { field: "q", document: {} } } })],
      [403, /pipeline/, ...body({ search_pipeline: "x" })],
      [403, /script/, ...body({ query: { script: { script: "true" } } })],
      [403, /has another user_id/, "/application/search", { index, search_request: {}, user_id: "v" }],
      [403, /may not use bulk/, "/application/bulk", { index, bulk_request: [] }],
      [403, /may not use raw-backend/, `/raw-backend/${index}/_search`, {}],
    ];
    for (const [status, message, path, sent] of refused) {
      const answer = await post(path, sent);
      assert.is(answer.status, status, `${path} ${JSON.stringify(sent)} ${answer.text}`);
      assert.match(answer.text, message);
    }
    assert.is((await post("/application/search", { index, search_request: {} }, {})).status, 401);
  });
}

test.after(stopStarted);
test.run();
