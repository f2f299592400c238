import * as assert from "uvu/assert";
import { documentBucket } from "../fixtures/document-bucket.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("rules and experiments by the names of indexes");
await startUpstreams();

interface Answer {
  search_response: { hits: { hits: Array<{ _id: string }> } };
  rules?: Array<{ name: string }>;
  experiment?: { name: string };
}

for (const cluster of await clusters()) {
  const own = uniqueIndex("goods");
  const [goods, index, summer, winter] = [own, `${own}-000001`, `${own}-summer`, `${own}-winter`];
  let gateway: TestGateway;

  test.before(async () => {
    const hide = (name: string, id: string) => ({ name, when: { indexes: [name] }, effects: { hide: { ids: [id] } } });
    const BUCKET = await documentBucket({ rules: [hide(goods, "1"), hide(index, "2"), hide(summer, "3")] });
    const half = { share: 0.5, settings: {} };
    const experiments = [
      {
        name: "goods",
        kind: "split" as const,
        index: goods,
        variants: [
          { name: "a", ...half },
          { name: "b", ...half },
        ],
      },
    ];
    const query = { match_all: {} };
    const templates = [{ name: "all", search_request_template: { query }, params: {} }];
    const key = { endpoints: ["search", "hybrid-search"], indexes: [goods, `${goods}-*`] };
    gateway = await startGateway({
      node: cluster.url,
      settings: {
        ...{ indexes: [hybridIndex(goods)], templates, experiments, has_rules: true },
        keys: [{ ...key, name: "given" }] as never,
      },
      env: { API_KEYS: "key-1=given", BUCKET },
    });
    const filterOf = (genre: string) => ({ filter: { term: { genre } } });
    const aliases = { [goods]: {}, [summer]: filterOf("summer"), [winter]: filterOf("winter") };
    await request(cluster, "PUT", `/${index}`, { ...HYBRID_MAPPING, aliases });
    for (const id of ["1", "2", "3", "4"]) {
      const genre = id === "4" ? "winter" : "summer";
      await request(cluster, "PUT", `/${index}/_doc/${id}?refresh=true`, { text: "salt", genre });
    }
  });

  const plain = (name: string) => gateway.post<Answer>("/application/search", { index: name, template: "all" });
  const hybrid = (name: string) =>
    gateway.post<Answer>("/application/hybrid-search", {
      ...{ index: name, search_query: "salt", user_id: "u-1" },
      search_request_template: { query: { hybrid: { queries: [{ match: { text: "salt" } }] } } },
    });

  for (const [name, rules, ids] of [
    [goods, [goods, index], ["3", "4"]],
    [`<${goods}>`, [goods, index], ["3", "4"]],
    [index, [goods, index], ["3", "4"]],
    [`${goods}-0*`, [goods, index], ["3", "4"]],
    [`${goods},${goods},<${index}>`, [goods, index], ["3", "4"]],
    [`${goods}-*,-${goods}-x*`, [goods, index, summer], ["4"]],
    [winter, [goods, index], ["4"]],
    [`<${summer}>`, [goods, index, summer], []],
    [`${goods}-s*`, [goods, index, summer], []],
  ] as const) {
    const shown = name.replaceAll(own, "goods");
    test(`${cluster.version}: the rules of every name of an index apply to ${shown}`, async () => {
      for (const send of [plain, hybrid]) {
        const { status, body, text } = await send(name);
        assert.is(status, 200, text);
        assert.equal(
          body.rules?.map((rule) => rule.name),
          rules,
          text,
        );
        assert.equal(body.search_response.hits.hits.map(({ _id }) => _id).sort(), ids);
      }
      assert.is((await hybrid(name)).body.experiment?.name, "goods");
    });
  }
}

test.after(stopStarted);

test.run();
