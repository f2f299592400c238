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
      settings: {
        indexes: [hybridIndex(index)],
        templates: [named],
        experiments: [
          {
            name: "more_meaning",
            index,
            variants: [
              { name: "control", share: 0.5, settings: {} },
              { name: "meaning", share: 0.5, settings: { weights: [0.1, 0.8, 0.1] } },
            ],
          },
        ],
      },
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

  test(`${cluster.version}: an experiment gives each user a variant, which the answer and the log name`, async () => {
    const own = { search_request_template: templateWith(TEXT, "sea", 10) };
    const weights = { control: null, meaning: [0.1, 0.8, 0.1] };
    const seen = new Set<string>();
    for (let user = 0; user < 12; user += 1) {
      gateway.log.length = 0;
      const { body, text } = await hybrid({ ...own, user_id: `user-${user}` });
      const { name, variant } = body.experiment as { name: string; variant: keyof typeof weights };
      assert.is(name, "more_meaning", text);
      seen.add(variant);
      const line = JSON.parse(gateway.log[0] ?? "");
      assert.equal(line.query_attributes.experiment, { name, variant });
      assert.equal(line.query_attributes.settings.weights, weights[variant]);
      const sent = JSON.stringify(body.search_request_template.search_pipeline);
      assert.is(sent.includes('"weights":[0.1,0.8,0.1]'), variant === "meaning", sent);
      assert.is(body.settings.weights, null);
    }
    assert.equal([...seen].toSorted(), ["control", "meaning"]);
  });

  test(`${cluster.version}: an experiment excludes requests without a user, with their own settings or with other subqueries`, async () => {
    const own = { search_request_template: templateWith(TEXT, "sea", 10) };
    const [words] = own.search_request_template.query.hybrid.queries;
    for (const rest of [
      own,
      { ...own, user_id: "user-1", settings: { combination: "geometric_mean" } },
      { search_request_template: { query: { hybrid: { queries: [words] } } }, user_id: "user-1" },
    ]) {
      gateway.log.length = 0;
      const { status, body, text } = await hybrid(rest);
      assert.equal([status, body.experiment], [200, undefined], text);
      assert.is(JSON.parse(gateway.log[0] ?? "").query_attributes.experiment, null);
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
