import * as assert from "uvu/assert";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { bearer } from "../fixtures/tokens.ts";
import { startModels } from "../pairs/models.ts";
import { playTokens } from "../pairs/tokens/play.ts";
import { startTokenWorld, type TokenWorld } from "../pairs/tokens/world.ts";
import { suite } from "../suite.ts";

const test = suite("tokens with a filter");
const models = await startModels();

/** Generated searches; `make bench ARGS=tokens` plays 10,000. */
const SEARCHES = 250;

const token = await bearer({ filter: { tenant: "alpha" }, user_id: "u" });

for (const cluster of await clusters()) {
  let world: TokenWorld;
  const post = (path: string, body: object, headers = token) => world.gateway.post<Json>(path, body, headers);

  test.before(async () => {
    world = await startTokenWorld(cluster, models);
  });

  test(`${cluster.version}: generated searches show what the filter by hand leaves, and nothing else`, async () => {
    const { outside, different, answered } = await playTokens(world, SEARCHES);
    assert.equal([outside, different], [[], []], [...outside, ...different].slice(0, 3).join("\n\n"));
    const endpoints = ["candidates", "hybrid-search", "mcp", "multi-search", "search", "suggest"];
    assert.equal(Object.keys(answered).sort(), endpoints);
    const all = Object.values(answered).reduce((sum, one) => sum + one, 0);
    assert.ok(all * 10 >= SEARCHES * 8, `${all} of ${SEARCHES} were answered`);
  });

  test(`${cluster.version}: the request log has the subject and the user of the token`, async () => {
    await post("/application/search", { index: world.indexes.main, search_request: {} });
    const line = JSON.parse(world.gateway.log.at(-1) ?? "{}");
    assert.equal([line.user_id, line.query_attributes.subject], ["u", "anna"]);
  });

  test(`${cluster.version}: suggestions are titles of the filter's documents`, async () => {
    const tenantsIn = async (claim: object) => {
      const sent = { index: world.indexes.main, text: "salt", size: 10 };
      const { body, text } = await post("/application/suggest", sent, await bearer(claim));
      assert.ok(body.suggestions, text);
      const texts = (body.suggestions as Array<{ text: string }>).map((one) => one.text);
      return [...new Set(texts.map((one) => one.split(" ").at(-1)))].sort();
    };
    assert.equal(await tenantsIn({ filter: { tenant: "alpha", shelf: 0 } }), ["alpha"]);
    assert.equal(await tenantsIn({ filter: { tenant: "alpha", shelf: 1 } }), []);
    assert.equal(await tenantsIn({}), ["alpha", "bravo", "charlie"]);
    assert.equal(await tenantsIn({ filter: { year: 1 } }), []);
  });

  test(`${cluster.version}: what the filter does not reach is refused by name`, async () => {
    const index = world.indexes.main;
    const body = (search_request: object) => ["/application/search", { index, search_request }] as const;
    const terms = { terms: { field: "genre", min_doc_count: 0 } };
    const like = { fields: ["text"], like: [{ _id: "1" }] };
    const refused: Array<readonly [number, RegExp, string, object]> = [
      [400, /global aggregation/, ...body({ aggs: { all: { global: {} } } })],
      [400, /min_doc_count/, ...body({ aggs: { all: terms } })],
      [400, /significant_terms/, ...body({ aggs: { all: { significant_terms: { field: "genre" } } } })],
      [400, /suggesters/, ...body({ suggest: { one: { text: "a", term: { field: "text" } } } })],
      [400, /profile/, ...body({ profile: true })],
      [403, /names a document/, ...body({ query: { terms: { genre: { index, id: "1", path: "genre" } } } })],
      [403, /reads another document/, ...body({ query: { more_like_this: like } })],
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
  });

  test.after(() => world.stop());
}

test.after(() => models.stop());
test.run();
