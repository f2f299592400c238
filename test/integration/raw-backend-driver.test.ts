import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import type { RAW_DIFFERENCES } from "../../build/search-pages.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient } from "../../packages/processes/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { runPython } from "../fixtures/opensearch-py.ts";
import { type RawCall, rawCalls } from "../fixtures/raw-calls.ts";
import { comparable, method, outcomeOf } from "../fixtures/raw-outcome.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend: the same answers as the cluster");
const toStop: Array<{ stop(): Promise<unknown> }> = [];
const folder = scratchFolder(TEST_OUTPUT, "raw-driver");

const SEED = 20_261_122;
const CALLS = rawCalls(SEED, 360);

/**
 * Only calls make documents visible, and documents keep their order. Scores do not depend on how many deleted documents
 * Lucene still counts, because that depends on the machine's speed.
 */
const MAPPING = {
  settings: {
    number_of_shards: 1,
    number_of_replicas: 0,
    refresh_interval: "-1",
    "merge.policy": "log_byte_size",
    "merge.log_byte_size_policy.merge_factor": 1_000,
  },
  mappings: {
    properties: {
      title: { type: "text", similarity: "boolean" },
      tags: { type: "keyword", similarity: "boolean" },
      n: { type: "integer" },
      price: { type: "double" },
      at: { type: "date" },
    },
  },
};

/** Calls that the gateway answers differently. */
const DIFFERENCES: Record<
  keyof typeof RAW_DIFFERENCES,
  { status: number; call: (client: Client, index: string) => PromiseLike<unknown> }
> = {
  "`POST /<index>`": {
    status: 200,
    call: (client, index) => client.transport.request({ method: "POST", path: `/${index}-post` }),
  },
  "`OPTIONS`": {
    status: 405,
    call: (client, index) => client.transport.request({ method: "OPTIONS", path: `/${index}` }),
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
  "a search in UTF-16 or UTF-32": {
    status: 400,
    call: (client, index) =>
      client.transport.request({
        method: "POST",
        path: `/${index}/_search`,
        body: Buffer.from('{"query":{"regexp":{"title":"a"}}}', "utf16le"),
      }),
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
  "a regular expression that needs too much memory": {
    status: 400,
    // Just over the limit, so that the cluster survives it.
    call: (client, index) => client.search({ index, body: { query: { regexp: { title: "a{10001}" } } } }),
  },
  "a body of `_termvectors` that is not an object": {
    status: 400,
    // The cluster stops reading at the object after the number; it would never finish reading a number alone.
    call: (client, index) =>
      client.transport.request({ method: "POST", path: `/${index}/_termvectors/1`, body: "1 {}" }),
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

/** Runs the calls with opensearch-js, one after another. */
async function runCalls(client: Client, index: string, calls: readonly RawCall[]): Promise<unknown[]> {
  const ids: Record<string, string> = {};
  const outcomes: unknown[] = [];
  for (const { api, params } of calls) {
    const text = JSON.stringify(params).replaceAll(/INDEX|SCROLL_ID|PIT_ID/g, (name) => ids[name] ?? index);
    const made = Promise.resolve(method(client, api)(JSON.parse(text), { opaqueId: `${index}-${outcomes.length}` }));
    outcomes.push(
      await outcomeOf(
        made.then((answer) => {
          const { _scroll_id, pit_id } = ((answer as { body: unknown }).body ?? {}) as Record<string, string>;
          if (_scroll_id) ids.SCROLL_ID = _scroll_id;
          if (pit_id) ids.PIT_ID = pit_id;
          return answer;
        }),
        index,
      ),
    );
  }
  return outcomes;
}

/** How long a call may take, in milliseconds. Generous for busy machines, because only answers are compared. */
const PATIENCE_MS = patient(120_000);

/** The same with opensearch-py. Prints what each call returns, or the status and body of its error. */
const PYTHON = `
PATIENCE = ${PATIENCE_MS / 1_000}
import re
from concurrent.futures import ThreadPoolExecutor

def run(client, index, calls):
    ids, outcomes = {}, []
    for call in calls:
        text = re.sub("INDEX|SCROLL_ID|PIT_ID", lambda match: ids.get(match[0], index), json.dumps(call["params"]))
        params = json.loads(text)
        try:
            if call["api"] == "transport.request":
                params["url"], params["params"] = params.pop("path"), params.pop("querystring", None)
                answer = client.transport.perform_request(**params)
            else:
                api = client
                for name in re.sub("([A-Z])", r"_\\1", call["api"]).lower().split("."):
                    api = getattr(api, name)
                answer = api(**params)
        except exceptions.TransportError as error:
            answer = {"error": [error.status_code, error.info]}
        if isinstance(answer, dict):
            ids["SCROLL_ID"] = answer.get("_scroll_id", ids.get("SCROLL_ID", index))
            ids["PIT_ID"] = answer.get("pit_id", ids.get("PIT_ID", index))
        outcomes.append(answer)
    return outcomes

job = json.load(open(sys.argv[1]))
gateway = OpenSearch(hosts=client.transport.hosts, headers={"x-api-key": sys.argv[3]}, timeout=PATIENCE)
cluster = OpenSearch(hosts=[job["cluster"]], timeout=PATIENCE)
with ThreadPoolExecutor() as both:
    runs = [both.submit(run, *side, job["calls"]) for side in ((gateway, job["through"]), (cluster, job["direct"]))]
    json.dump([one.result() for one in runs], open(sys.argv[2], "w"))
print("true")
`;

/** Fails with the calls whose outcomes differ. */
function assertSame(calls: readonly RawCall[], got: readonly unknown[], wanted: readonly unknown[]): void {
  const differing = calls.flatMap((call, n) =>
    JSON.stringify(got[n]) === JSON.stringify(wanted[n]) ? [] : [{ n, call, got: got[n], wanted: wanted[n] }],
  );
  assert.is(wanted.length, calls.length);
  const shown = differing.slice(0, 5).map((one) => JSON.stringify(one).slice(0, 2_000));
  assert.ok(differing.length === 0, `${differing.length} differ:\n${shown.join("\n")}`);
}

for (const cluster of await clusters()) {
  const { version } = cluster;
  let gateway: TestGateway;
  let through: Client;
  let direct: Client;
  const create = async (prefix: string) => {
    const index = uniqueIndex(prefix);
    assert.is((await request(cluster, "PUT", `/${index}`, MAPPING)).status, 200);
    return index;
  };

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url, functionTimeoutMs: PATIENCE_MS });
    const slow = { requestTimeout: PATIENCE_MS };
    through = new Client({ node: `${gateway.url}/raw-backend`, headers: { "x-api-key": API_KEY }, ...slow });
    direct = new Client({ node: cluster.url, ...slow });
    toStop.unshift({ stop: () => through.close() }, { stop: () => direct.close() }, gateway);
  });

  test(`${version}: ${CALLS.length} calls of opensearch-js`, async () => {
    const [one, other] = [await create("calls"), await create("calls")];
    const [got, wanted] = await Promise.all([runCalls(through, one, CALLS), runCalls(direct, other, CALLS)]);
    assertSame(CALLS, got, wanted);
  });

  test(`${version}: ${CALLS.length} calls of opensearch-py`, async () => {
    const [one, other] = [await create("calls"), await create("calls")];
    const [input, output] = [join(folder, `${version}.json`), join(folder, `${version}-outcomes.json`)];
    writeFileSync(input, JSON.stringify({ calls: CALLS, through: one, direct: other, cluster: cluster.url }));
    await runPython(`${gateway.url}/raw-backend`, API_KEY, PYTHON, [input, output, API_KEY]);
    const [got = [], wanted = []] = JSON.parse(readFileSync(output, "utf8")) as unknown[][];
    assertSame(CALLS, comparable(got, one), comparable(wanted, other));
  });

  for (const [what, { status, call }] of Object.entries(DIFFERENCES)) {
    test(`${version}: differs from the cluster: ${what}`, async () => {
      const index = await create("differs");
      const [got, wanted] = [await outcomeOf(call(through, index), index), await outcomeOf(call(direct, index), index)];
      assert.is(got.statusCode, status);
      assert.not.equal(got, wanted);
      const { error } = got.body as { error?: { reason?: string } };
      assert.ok(status === 200 || error?.reason, "the clients print the reason");
    });
  }
}

test("compares at least 350 calls of at least 60 methods, at least half of them distinct", () => {
  const distinct = new Set(CALLS.map((call) => JSON.stringify(call)));
  assert.ok(CALLS.length >= 350 && distinct.size >= CALLS.length / 2, `${distinct.size} of ${CALLS.length}`);
  assert.ok(new Set(CALLS.map(({ api }) => api)).size >= 60);
});

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
