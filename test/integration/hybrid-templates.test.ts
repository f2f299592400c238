import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("named templates on the cluster");
const upstreams = await startUpstreams();
const gateways: TestGateway[] = [];

const TEXT = "salt harbour";

const templateWith = (text: string, genre: string, size: unknown) => ({
  size,
  query: {
    hybrid: {
      queries: [
        { bool: { must: { match: { text } }, filter: { term: { genre } } } },
        { knn: { text_dense: { vector: "[text_dense]", k: 30 } } },
        { bool: { should: "[text_sparse]" } },
      ],
    },
  },
});

for (const cluster of await clusters()) {
  const index = uniqueIndex("templates");
  let gateway: TestGateway;
  const hybrid = (rest: object) => gateway.post("/application/hybrid-search", { index, search_query: TEXT, ...rest });

  test.before(async () => {
    const named = {
      name: "by_meaning",
      search_request_template: templateWith("[search_query]", "[params.genre]", "[params.size]"),
      params: { size: 10 },
    };
    gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(index)], templates: [named] },
    });
    gateways.push(gateway);
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const bulk_request = corpus(200).map(({ id, doc }) => ({ id, op: "index", doc }));
    await gateway.post("/application/bulk", { index, bulk_request });
    await request(cluster, "POST", `/${index}/_refresh`);
  });

  test(`${cluster.version}: find what the same template in the request finds`, async () => {
    for (const size of [undefined, 3]) {
      const params = { genre: "sea", ...(size !== undefined && { size }) };
      const byName = await hybrid({ template: "by_meaning", params });
      const own = await hybrid({ search_request_template: templateWith(TEXT, "sea", size ?? 10) });
      assert.is(byName.status, 200, byName.text);
      const hits = (answer: typeof own) =>
        answer.body.search_response.hits.hits.map(({ _id, _score }) => [_id, _score]);
      assert.equal(hits(byName), hits(own));
      assert.is(hits(byName).length, size ?? 10);
      const { template, search_request_template } = byName.body;
      assert.is(template, "by_meaning");
      assert.equal(search_request_template, own.body.search_request_template);
      assert.is(own.body.template, undefined);
    }
  });

  test(`${cluster.version}: an unknown name is 404`, async () => {
    const { status, body } = await hybrid({ template: "by_author" });
    assert.equal([status, body.error.code], [404, "template_not_found"]);
  });
}

test.after(async () => {
  for (const gateway of gateways) await gateway.stop();
  await upstreams.stop();
});

test.run();
