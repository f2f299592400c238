import * as assert from "uvu/assert";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("what clients send back or prefix through the raw backend of a limited key");

/** What clients take out of the settings that they have read. The cluster refuses them. */
const PRIVATE = ["uuid", "version", "creation_date", "provided_name"];

/** Settings that indexes of other clients have, with the values of the cluster's defaults. */
const SETTINGS = {
  ...{ number_of_shards: 1, number_of_replicas: 0, knn: true, refresh_interval: "1s", codec: "default" },
  ...{ "replication.type": "DOCUMENT", "store.type": "fs", priority: 5, "allocation.max_retries": 3 },
  ...{ "soft_deletes.enabled": true, "write.wait_for_active_shards": 1, "soft_deletes.retention_lease.period": "12h" },
  ...{ "unassigned.node_left.delayed_timeout": "1m", "routing.allocation.enable": "all", hidden: false },
  ...{ "routing.allocation.total_shards_per_node": -1, "routing.rebalance.enable": "all", "warmer.enabled": true },
  ...{ "query.default_field": ["*"], max_result_window: 20_000, "mapping.total_fields.limit": 1_500 },
  ...{ "analysis.analyzer.own": { type: "custom", tokenizer: "standard", filter: ["lowercase"] } },
};

for (const cluster of await clusters()) {
  const index = uniqueIndex("granted");
  let gateway: TestGateway;
  const call = async (method: string, path: string, body?: string, type = "application/json") => {
    const init = { method, headers: { "content-type": type }, ...(body !== undefined && { body }) };
    return gateway.send<Record<string, never>>(method, `/raw-backend${path}`, init);
  };

  test.before(async () => {
    const key = { endpoints: ["raw-backend" as const], indexes: [`${index}*`] };
    gateway = await startGateway({ node: cluster.url, key });
  });

  test(`${cluster.version}: an index is created again with the settings that were read`, async () => {
    const created = await call("PUT", `/${index}`, JSON.stringify({ settings: { index: SETTINGS } }));
    assert.is(created.status, 200, created.text);
    for (const flat of ["", "?flat_settings=true"]) {
      const { body } = await gateway.send<Record<string, { settings: Record<string, object>; mappings: object }>>(
        "GET",
        `/raw-backend/${index}${flat}`,
      );
      const { settings, mappings } = body[index] ?? { settings: {}, mappings: {} };
      const own = Object.entries(flat === "" ? (settings.index ?? {}) : settings).filter(
        ([name]) => !PRIVATE.includes(name.split(".").find((part) => part !== "index") ?? ""),
      );
      assert.is((await call("DELETE", `/${index}`)).status, 200);
      const again = await call("PUT", `/${index}`, JSON.stringify({ settings: Object.fromEntries(own), mappings }));
      assert.is(again.status, 200, again.text);
    }
  });

  test(`${cluster.version}: a byte order mark is skipped where the cluster skips it, and hides nothing`, async () => {
    const lines = "application/x-ndjson";
    for (const [status, method, path, body, type] of [
      [
        200,
        "POST",
        `/${index}/_bulk?refresh=true`,
        `\ufeff{"index":{"_id":"1"}}\n\ufeff{"n":1}\n\ufeff{"index":{"_id":"2"}}\n{}\n`,
        lines,
      ],
      [200, "POST", `/${index}/_msearch`, `\ufeff{}\n\ufeff{"size":0}\n`, lines],
      [200, "POST", `/${index}/_search`, '\ufeff{"query":{"query_string":{"query":"n:1"}}}', undefined],
      [200, "POST", `/${index}/_update/1`, '\ufeff{"doc":{"n":2}}', undefined],
      [200, "POST", "/_mget", `\ufeff{"docs":[{"_index":"${index}","_id":"1"}]}`, undefined],
      [403, "POST", "/_bulk", `\ufeff{"index":{"_index":"other","_id":"1"}}\n{}\n`, lines],
      [403, "POST", `/${index}/_bulk`, `{"index":{"_id":"1"}}\n{}\n\ufeff{"index":{"_index":"other"}}\n{}\n`, lines],
      [403, "POST", `/${index}/_msearch`, `{}\n{}\n\ufeff{"index":"other"}\n{}\n`, lines],
      [403, "POST", `/${index}/_search`, '\ufeff\ufeff{"size":0}', undefined],
    ] as const) {
      const answer = await call(method, path, body, type);
      assert.is(answer.status, status, `${path}: ${answer.text}`);
    }
    const headers = { "content-type": "application/json", "x-api-key": API_KEY };
    const own = await gateway.send("POST", "/application/search", { headers, body: `\ufeff{"index":"${index}"}` });
    assert.is(own.status, 403, "this key may not use the endpoint, but its body can be read");
  });
}

test.after(stopStarted);

test.run();
