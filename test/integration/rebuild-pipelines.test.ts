import * as assert from "uvu/assert";
import { createRun } from "../../lib/search/index/rebuild/create.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { workOn } from "../../lib/search/index/rebuild/run.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import { patient } from "../../packages/processes/wait.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("rebuild of an index with a default search pipeline");

for (const cluster of await clusters()) {
  test(`${cluster.version}: copies documents that the pipeline hides, as they are stored`, async () => {
    const alias = uniqueIndex("hidden");
    const pipeline = {
      request_processors: [{ filter_query: { query: { term: { tenant: "a" } } } }],
      response_processors: [{ rename_field: { field: "text", target_field: "label" } }],
    };
    const mappings = { properties: { tenant: { type: "keyword" }, text: { type: "text" } } };
    await request(cluster, "PUT", `/_search/pipeline/${alias}`, pipeline);
    const settings = { "index.search.default_pipeline": alias };
    await request(cluster, "PUT", `/${alias}-first`, { settings, mappings, aliases: { [alias]: {} } });
    const documents = Array.from({ length: 10 }, (_, id) => ({ tenant: id % 2 ? "a" : "b", text: `lamp ${id}` }));
    const lines = documents.map((one, id) => `{"index":{"_id":"${id}"}}\n${JSON.stringify(one)}\n`).join("");
    await request(cluster, "POST", `/${alias}-first/_bulk?refresh=true`, lines);

    const calls = createRunCalls({ cluster: createCluster({ node: cluster.url, auth: noAuth }), pace: createPace(2) });
    const { id, target } = await createRun(calls, {
      name: alias,
      bodyOf: () => ({ settings, mappings }),
      embed: false,
      embeddingFields: [],
      replaceIndex: false,
      now: new Date(),
      width: 150,
    });
    await workOn({ calls, id, thenSwitch: true, holdMs: patient(15_000), most: 2 });

    const { body } = await request<{ hits: { hits: Array<{ _id: string; _source: unknown }> } }>(
      cluster,
      "GET",
      `/${target}/_search?search_pipeline=_none&size=20`,
    );
    const stored = body.hits.hits.toSorted((a, b) => Number(a._id) - Number(b._id)).map(({ _source }) => _source);
    assert.equal(stored, documents);
    await request(cluster, "PUT", `/${target}/_settings`, { "index.search.default_pipeline": "_none" });
    await request(cluster, "DELETE", `/${alias}-first`);
    await request(cluster, "DELETE", `/_search/pipeline/${alias}`);
  });
}

test.run();
