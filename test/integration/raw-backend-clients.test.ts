import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { ROOT } from "../fixtures/env.ts";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { runPython } from "../fixtures/opensearch-py.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend: the unmodified clients");
const toStop: Array<{ stop(): Promise<unknown> }> = [];

const MAPPING = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    properties: {
      title: { type: "text" },
      tags: { type: "keyword" },
      n: { type: "integer" },
      price: { type: "double" },
      at: { type: "date" },
    },
  },
};

/** Calls that the gateway answers in its own way: the table of docs/guides/raw-backend.md has each with its reason. */
const DIFFERENCES: Record<string, { status: number; call: (client: Client, index: string) => PromiseLike<unknown> }> = {
  "`POST /<index>`": {
    status: 200,
    call: (client, index) => client.transport.request({ method: "POST", path: `/${index}-post` }),
  },
  "`.` and `..` in a path": {
    status: 400,
    call: (client, index) => client.get({ index, id: ".." }),
  },
  "broken percent-encoding": {
    status: 400,
    call: (client, index) => client.transport.request({ method: "GET", path: `/${index}/_doc/%E0%A4%A` }),
  },
  "a forwarded header over 1,024 bytes": {
    status: 400,
    call: (client, index) => client.search({ index }, { opaqueId: "a".repeat(1_025) }),
  },
  "YAML, CBOR and Smile": {
    status: 415,
    call: (client, index) =>
      client.transport.request(
        { method: "POST", path: `/${index}/_search`, body: "size: 1" },
        { headers: { "content-type": "application/yaml" } },
      ),
  },
  "nesting deeper than 400 levels": {
    status: 400,
    call: (client, index) =>
      client.search({ index, body: { query: { query_string: { query: `${"(".repeat(401)}a${")".repeat(401)}` } } } }),
  },
  "text that is not valid Unicode": {
    status: 400,
    call: (client, index) =>
      client.transport.request({ method: "PUT", path: `/${index}/_doc/u`, body: '{"title":"\\ud800"}' }),
  },
  "a body over 4 MiB": {
    status: 413,
    call: (client, index) => client.index({ index, id: "l", body: { text: "a".repeat(4 * 1024 * 1024) } }),
  },
};

/** What a call came to, without what differs between two calls of one kind. */
async function outcomeOf(
  { run }: { run: (client: Client, index: string) => Promise<unknown> },
  client: Client,
  index: string,
): Promise<unknown> {
  const { statusCode, headers, body } = await run(client, index).then(
    (answer) => answer as Reply,
    (error: { meta?: Reply }) => {
      if (!error.meta?.statusCode) throw error;
      return error.meta;
    },
  );
  return {
    statusCode,
    type: headers["content-type"],
    location: comparable(headers.location, index),
    body: comparable(body, index),
  };
}

interface Reply {
  statusCode: number;
  headers: Record<string, string | undefined>;
  body: unknown;
}

/** Members that no two calls have in common. */
const VOLATILE =
  /"(took|took_in_millis|throttled_millis|creation_date|index\.creation_date|uuid|index\.uuid|index_uuid|_scroll_id|pit_id|node|term_freq_time)":("[^"]*"|-?[\d.]+)/g;

function comparable(value: unknown, index: string): string {
  return (JSON.stringify(value) ?? "")
    .replaceAll(index, "INDEX")
    .replaceAll(VOLATILE, '"$1":0')
    .replaceAll(/(?<=_doc\/|"_id":")[\w-]{20}(?=")/g, "ID");
}

for (const cluster of await clusters()) {
  const { version } = cluster;
  let gateway: TestGateway;
  let through: Client;
  let direct: Client;
  const create = async (prefix: string) => {
    const index = uniqueIndex(prefix);
    await request(cluster, "PUT", `/${index}`, MAPPING);
    return index;
  };

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
    through = new Client({ node: `${gateway.url}/raw-backend`, headers: { "x-api-key": API_KEY } });
    direct = new Client({ node: cluster.url });
    toStop.unshift({ stop: () => through.close() }, { stop: () => direct.close() }, gateway);
  });

  for (const [what, { status, call }] of Object.entries(DIFFERENCES)) {
    test(`${version}: differs from the cluster: ${what}`, async () => {
      const index = await create("differs");
      const run = async (client: Client) => call(client, index);
      const got = (await outcomeOf({ run }, through, index)) as Reply;
      const wanted = (await outcomeOf({ run }, direct, index)) as Reply;
      assert.is(got.statusCode, status);
      assert.not.equal(got, wanted);
    });
  }

  test(`${version}: the helpers of opensearch-js: bulk, scroll, search, msearch`, async () => {
    const index = await create("helpers");
    const datasource = Array.from({ length: 1_200 }, (_, n) => ({ n }));
    const stats = await through.helpers.bulk({
      datasource,
      flushBytes: 10_000,
      refreshOnCompletion: index,
      onDocument: ({ n }: { n: number }) => ({ index: { _index: index, _id: `d/${n}` } }),
    } as never);
    assert.equal([stats.total, stats.successful, stats.failed], [1_200, 1_200, 0]);

    const seen: unknown[] = [];
    for await (const document of through.helpers.scrollDocuments({ index, size: 500, sort: ["n"] } as never)) {
      seen.push(document);
    }
    assert.equal(seen, datasource);
    const found = await through.helpers.search({
      index,
      size: 3,
      body: { query: { range: { n: { lt: 2 } } } },
    } as never);
    assert.is(found.length, 2);
    const several = through.helpers.msearch();
    const { body } = await several.search({ index }, { query: { match_all: {} }, track_total_hits: true } as never);
    several.stop();
    assert.is((body as { hits: { total: { value: number } } }).hits.total.value, 1_200);
  });

  test(`${version}: the helpers of opensearch-py: bulk, parallel_bulk, streaming_bulk, scan, reindex`, async () => {
    const [index, copy] = [await create("py"), await create("py-copy")];
    const script = `
actions = lambda kind: ({"_index": "${index}", "_id": f"{kind}/{n} \\u00e9", "_source": {"n": n}} for n in range(400))
bulk = helpers.bulk(client, actions("bulk"), chunk_size=100)
parallel = list(helpers.parallel_bulk(client, actions("parallel"), chunk_size=100))
streamed = list(helpers.streaming_bulk(client, actions("streamed"), chunk_size=100, refresh=True))
client.indices.refresh(index="${index}")
scanned = sorted(hit["_id"] for hit in helpers.scan(client, index="${index}", size=250))
copied = helpers.reindex(client, "${index}", "${copy}")
client.indices.refresh(index=["${copy}"])
print(json.dumps({
    "bulk": bulk[0],
    "parallel": sum(ok for ok, _ in parallel),
    "streamed": sum(ok for ok, _ in streamed),
    "scanned": [len(scanned), scanned[0]],
    "copied": [copied[0], client.count(index="${copy}")["count"]],
    "missing": client.exists(index="${index}", id="none"),
    "version": client.info()["version"]["number"],
}))`;
    assert.equal(await runPython(`${gateway.url}/raw-backend`, API_KEY, script), {
      bulk: 400,
      parallel: 400,
      streamed: 400,
      scanned: [1_200, "bulk/0 é"],
      copied: [1_200, 1_200],
      missing: false,
      version,
    });
  });
}

test("every difference is in the table of the guide, and nothing else is", () => {
  const guide = readFileSync(join(ROOT, "docs", "guides", "raw-backend.md"), "utf8");
  const table = guide.split("## Differences")[1]?.split("\n## ")[0] ?? "";
  const rows = [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, first = ""]) => first);
  assert.equal(rows.slice(1), Object.keys(DIFFERENCES));
});

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
