import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters, request } from "../fixtures/opensearch.ts";
import { fullExample } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";

const test = suite("relevance export");
const out = scratchFolder(TEST_OUTPUT, "export");
test.after(() => rmSync(out, { recursive: true, force: true }));

const template = (name: string) => JSON.parse(readFileSync(join(out, "native/templates", `${name}.json`), "utf8"));

test("writes each template and the fusion of each entry, without an account", async () => {
  for (const [file, text] of Object.entries(fullExample())) {
    mkdirSync(dirname(join(out, "conf", file)), { recursive: true });
    writeFileSync(join(out, "conf", file), text);
  }
  const args = ["export", "--conf", join(out, "conf"), "--out", join(out, "native")];
  const { out: said, code, err } = await runHere(args);
  assert.equal([code, err], [0, ""]);
  assert.match(said, /PUT _scripts\/title_and_meaning {2}\S+\n[\s\S]*PUT _search\/pipeline\/products/);
});

const source = (name: string) => template(name).script.source as string;

/** The body that a version of the cluster makes of a template. */
const CASES: readonly [name: string, params: object, body: object][] = [
  [
    "title_and_meaning",
    { search_query: 'a "lamp"', description_dense: [0.5, 1] },
    {
      size: 10,
      query: {
        hybrid: {
          queries: [{ match: { title: 'a "lamp"' } }, { knn: { description_dense: { vector: [0.5, 1], k: 100 } } }],
        },
      },
    },
  ],
  [
    "shop_page",
    { words: "lamp", size: 3 },
    { size: 3, query: { bool: { must: { match: { title: "lamp" } }, filter: [{ match_all: {} }] } } },
  ],
  [
    "shop_page",
    { words: "lamp", colors: ["red", "blue"], max_price: 0 },
    {
      size: 10,
      query: {
        bool: {
          must: { match: { title: "lamp" } },
          filter: [{ match_all: {} }, { terms: { color: ["red", "blue"] } }, { range: { price: { lte: 0 } } }],
        },
      },
    },
  ],
];

for (const cluster of await clusters()) {
  for (const [name, params, body] of CASES) {
    test(`${cluster.version}: ${name} with ${JSON.stringify(params)} becomes the body that the gateway sends`, async () => {
      const answer = await request<{ template_output: object }>(cluster, "POST", "/_render/template", {
        source: source(name),
        params,
      });
      assert.equal(answer.body.template_output, body);
    });
  }

  test(`${cluster.version}: stores each pipeline`, async () => {
    const text = readFileSync(join(out, "native/pipelines/products.json"), "utf8");
    const answer = await request(cluster, "PUT", "/_search/pipeline/export-test", JSON.parse(text));
    assert.is(answer.status, 200);
    await request(cluster, "DELETE", "/_search/pipeline/export-test");
  });
}

test.run();
