import * as assert from "uvu/assert";
import { CAMPAIGN_ARN, type Json, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("personalized search by a field of the document");
const upstreams = await startUpstreams();
const { ranking } = upstreams;

/** The campaign knows books by their ISBN; `serial` fixes the search order. */
const BOOKS = [1, 2, 3, 4, 5].map((n) => ({ _id: `d${n}`, isbn: `978-${n}`, serial: n }));
const QUERY = { function_score: { field_value_factor: { field: "serial", modifier: "reciprocal" } } };
const RANKED = { user_id: "u1", business_rules: { is_personalized_enabled: true } };
const ids = (body: Json) => body.search_response.hits.hits.map(({ _id }) => _id);

// The campaign does not depend on the version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const index = uniqueIndex("isbn");
  let gateway: TestGateway;

  /** Searches. Returns the answer and what its log line says of the hits. */
  async function search(search_request: object, fields: object = RANKED) {
    gateway.log.length = 0;
    const { status, body, text } = await gateway.post("/application/search", {
      index,
      search_request: { query: QUERY, ...search_request },
      ...fields,
    });
    assert.is(status, 200, text);
    const { object_id_field, query_response_hit_ids } = JSON.parse(gateway.log[0] ?? "");
    return { body, logged: [object_id_field, query_response_hit_ids] };
  }

  test.before(async () => {
    const personalized_ranking = {
      campaign_arn: CAMPAIGN_ARN,
      weight: 0.5,
      window: 100,
      timeout_ms: 10_000,
      item_id_field: "book.isbn",
    };
    gateway = await startGateway({ node: cluster.url, settings: { personalized_ranking } });
    const lines = BOOKS.flatMap(({ _id, isbn, serial }) => [{ index: { _id } }, { book: { isbn }, serial }]);
    const last = [{ index: { _id: "d6" } }, { serial: 6 }];
    const body = [...lines, ...last].map((line) => `${JSON.stringify(line)}\n`).join("");
    await request(cluster, "POST", `/${index}/_bulk?refresh=true`, body);
  });

  test.before.each(() => {
    ranking.calls.length = 0;
  });

  const five = { post_filter: { exists: { field: "book.isbn" } } };

  test(`${cluster.version}: the campaign ranks the field's values, the blend uses that ranking, and the log line names field and values`, async () => {
    const { body, logged } = await search(five);
    assert.equal(
      ranking.calls.map(({ inputList }) => inputList),
      [BOOKS.map(({ isbn }) => isbn)],
    );
    // The test vector of the blend: five hits, reversed by the campaign, weight 0.5.
    assert.equal(ids(body), ["d1", "d5", "d2", "d4", "d3"]);
    assert.equal(logged, ["book.isbn", ["978-1", "978-5", "978-2", "978-4", "978-3"]]);
  });

  test(`${cluster.version}: a hit without the field is not ranked and goes last, and the log line has _id for all hits`, async () => {
    const { body, logged } = await search({});
    assert.equal(
      ranking.calls.map(({ inputList }) => inputList),
      [BOOKS.map(({ isbn }) => isbn)],
    );
    assert.is(ids(body).at(-1), "d6");
    assert.is(ids(body).length, 6);
    assert.equal(logged, ["_id", ids(body)]);
  });
}

test.after(stopStarted);

test.run();
