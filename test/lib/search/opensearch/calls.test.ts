import * as assert from "uvu/assert";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import { backoff, retry } from "../../../../lib/platform/resilience/deadline.ts";
import { asApiError, clusterError, isClusterError, jsonOf, readCall } from "../../../../lib/search/opensearch/calls.ts";
import { capabilitiesOf, createCapabilities } from "../../../../lib/search/opensearch/capabilities.ts";
import { ClusterFailure } from "../../../../lib/search/opensearch/cluster.ts";
import { createIndexCatalog } from "../../../../lib/search/opensearch/index-catalog.ts";
import { suite } from "../../../suite.ts";

const test = suite("calls to the cluster");

const answer = (status: number, body: unknown, headers = {}) => ({
  status,
  headers,
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});
/** A cluster that gives one answer to each call, and counts them. */
function answering(status: number, body: unknown) {
  const cluster = {
    calls: 0,
    send: async () => {
      cluster.calls += 1;
      return answer(status, body);
    },
  };
  return cluster;
}
const deadline = { remaining: () => 5_000 };
const refused = (status: number, body: unknown, headers = {}) => {
  try {
    jsonOf(answer(status, body, headers));
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("was not refused");
};

test("the cause is the root cause, or the innermost caused_by when that list is empty", () => {
  const cause = { type: "t", reason: "r" };
  assert.equal(clusterError({ error: { root_cause: [cause], type: "x" } }), cause);
  const nested = { root_cause: [], caused_by: { type: "a", reason: "b", caused_by: cause } };
  assert.equal(clusterError({ error: nested }), cause);
  assert.equal(clusterError({ error: "text" }), { type: "error", reason: "text" });
  assert.equal(clusterError(undefined), { type: "unknown", reason: "no reason given" });
});

for (const [status, type, code] of [
  [400, "parsing_exception", "rejected_by_cluster"],
  [404, "index_not_found_exception", "index_not_found"],
  [401, "security_exception", "upstream_failed"],
  [403, "security_exception", "upstream_failed"],
  [403, "cluster_block_exception", "forbidden"],
  [429, "rejected_execution_exception", "throttled"],
  [500, "illegal_state_exception", "upstream_failed"],
  [500, "search_exception", "rejected_by_cluster"],
  [500, "too_many_nested_clauses", "rejected_by_cluster"],
  [500, "aggregation_execution_exception", "rejected_by_cluster"],
  [500, "stream_constraints_exception", "rejected_by_cluster"],
  [503, "too_many_buckets_exception", "rejected_by_cluster"],
  [503, "unavailable", "upstream_unavailable"],
] as const) {
  test(`status ${status} ${type} is ${code}`, () => {
    assert.is(refused(status, { error: { root_cause: [{ type, reason: "why" }] } }).code, code);
  });
}

for (const [status, body, code] of [
  [302, "", "upstream_failed"],
  [304, "", "upstream_failed"],
  [404, "<h1>Not Found</h1>", "upstream_failed"],
  [404, { message: "no such site" }, "upstream_failed"],
  [408, { error: { type: "timeout", reason: "slow" }, status: 408 }, "upstream_failed"],
  [404, { error: { type: "search_context_missing_exception", reason: "no" }, status: 404 }, "rejected_by_cluster"],
] as const) {
  test(`status ${status} with ${JSON.stringify(body)} is ${code}: a proxy's or a wrong address is no fault of the caller`, () => {
    assert.is(refused(status, body).code, code);
  });
}

for (const [what, others, code] of [
  ["another fault of the request", ["illegal_argument_exception"], "rejected_by_cluster"],
  ["a fault of the cluster", ["illegal_state_exception"], "upstream_failed"],
] as const) {
  test(`the caller's fault on one shard and ${what} on another is ${code}`, () => {
    const root_cause = ["search_exception", ...others].map((type) => ({ type, reason: "why" }));
    assert.is(refused(500, { error: { root_cause } }).code, code);
    assert.is(refused(500, { error: { root_cause: root_cause.reverse() } }).code, code);
  });
}

test("an error type of the cluster's own faults is the caller's fault only with a known reason", () => {
  const code = (reason: string) => refused(500, { error: { root_cause: [{ type: "exception", reason }] } }).code;
  assert.is(code("Missing value for field [a]"), "rejected_by_cluster");
  assert.is(code("Missing node"), "upstream_failed");
});

test("a search that causes a 503 itself is sent once", async () => {
  for (const [type, calls] of [
    ["too_many_buckets_exception", 1],
    ["no_shard_available_action_exception", 3],
  ] as const) {
    const cluster = answering(503, { error: { root_cause: [{ type, reason: "why" }] } });
    await readCall(cluster, { method: "POST", path: "/a/_search" }, deadline);
    assert.is(cluster.calls, calls, type);
  }
});

test("the reason is shown, without nodes if the caller cannot fix it, and not if credentials were refused", () => {
  const error = { root_cause: [{ type: "t", reason: "node 10.0.0.1" }] };
  assert.match(refused(500, { error }).body("r"), "node node");
  for (const node of ["[data-1][10.0.0.1:9300]", "10.0.0.1:9300", "[data-1][[fe80::1:2:3]:9300]"]) {
    const reason = `${node}[indices:data/read] the index [books] failed at 10:32:07`;
    const shown = refused(500, { error: { root_cause: [{ type: "t", reason }] } }).body("r");
    assert.match(shown, /\[indices:data\/read\] the index \[books\] failed at 10:32:07/);
    assert.not.match(shown, /10\.0|data-1|fe80|9300/);
  }
  assert.not.match(refused(403, { error }).body("r"), "10.0.0.1");
  assert.match(refused(400, { error }).body("r"), "node 10.0.0.1");
});

test("a permission that the cluster user lacks for an index is a 403 for the caller, without the user's name", () => {
  const reason = "no permissions for [indices:data/read/search] and User [name=gateway, backend_roles=[admin-role]]";
  const error = refused(403, { error: { root_cause: [{ type: "security_exception", reason }] }, status: 403 });
  assert.is(error.code, "forbidden");
  assert.match(error.message, "no permission for [indices:data/read/search]");
  assert.not.match(error.body("r"), /gateway,|admin-role/);
  const denied = { Message: "User: anonymous is not authorized to perform: es:ESHttpPost" };
  assert.is(refused(403, denied).code, "upstream_failed", "the domain's own policy refuses the gateway as such");
});

test("an error is the cluster's own if its body says so, with the status of the answer", () => {
  const own = (status: number, body: string) => isClusterError({ status, headers: {}, body: Buffer.from(body) });
  assert.ok(own(503, '{"error":"x","status":503}'));
  for (const body of ["", "null", "<html>", '{"error":"x"}', '{"error":"x","status":500}', '{"status":503}']) {
    assert.not(own(503, body), body);
  }
  assert.not(own(200, '{"error":"x","status":200}'));
});

for (const [status, body] of [
  ...(["<html>", "null", "[]", '"text"', "1"] as const).map((text) => [200, text] as const),
  [502, "<html>"],
] as const) {
  test(`an answer ${status} of ${body} is upstream_failed`, () => {
    assert.is(refused(status, body).code, "upstream_failed");
  });
}

for (const [status, described] of [
  [200, { a: null }],
  [200, { a: { aliases: {}, settings: {} } }],
  [200, { a: { mappings: { properties: { b: 1 } } } }],
  [200, {}],
  [404, { message: "no such site" }],
] as const) {
  test(`an index described as ${JSON.stringify(described)} (${status}) is upstream_failed`, async () => {
    const catalog = createIndexCatalog(answering(status, described));
    const error = await catalog.resolve("a", deadline).catch((thrown: ApiError) => thrown);
    assert.is((error as ApiError).code, "upstream_failed");
  });
}

for (const [kind, code] of [
  ["refused", "upstream_unavailable"],
  ["timeout", "timeout"],
  ["lost", "upstream_failed"],
  ["too_large", "response_too_large"],
] as const) {
  test(`a call that was ${kind} is ${code}`, () => {
    assert.is((asApiError(new ClusterFailure(kind, true, "x")) as ApiError).code, code);
  });
}

for (const [version, expected] of [
  ["2.11.0", [false, false, false, false]],
  ["2.12.0", [true, false, false, false]],
  ["2.14.1", [true, true, false, false]],
  ["2.19.6", [true, true, true, false]],
  ["3.5.0", [true, true, true, false]],
  ["3.6.0", [true, true, true, true]],
  ["3.10.0", [true, true, true, true]],
] as const) {
  test(`what ${version} can do`, () => {
    const { hybrid, queryTokens, pagination, hybridProfile } = capabilitiesOf(version);
    assert.equal([hybrid, queryTokens, pagination, hybridProfile], expected);
  });
}

test("in compatibility mode the version is that of the oldest node", async () => {
  const nodes = { a: { version: "2.19.6" }, b: { version: "2.9.0" }, c: { version: "3.6.0" } };
  const paths: string[] = [];
  const cluster = {
    send: async ({ path }: { path: string }) => {
      paths.push(path);
      return answer(200, path === "/" ? { version: { number: "7.10.2" } } : { nodes });
    },
  };
  const can = createCapabilities(cluster);
  assert.is((await can({ remaining: () => 1_000 })).version, "2.9.0");
  assert.equal(paths, ["/", "/_nodes"]);
});

test("a cluster that names no version is refused", async () => {
  for (const number of [undefined, 3, "", "build-2.19"]) {
    const can = createCapabilities({ send: async () => answer(200, { version: { number } }) });
    await can({ remaining: () => 1_000 }).then(
      () => assert.unreachable(),
      (error) => assert.match(error.message, "did not say which version it is"),
    );
  }
});

const DESCRIBED = {
  "books-2": {
    aliases: { books: { is_write_index: true } },
    mappings: { properties: { a: { properties: { b: { type: "knn_vector", dimension: 3 } } } } },
    settings: { "index.max_result_window": "500" },
  },
  "books-1": { aliases: { books: {} }, mappings: {}, settings: {} },
};

test("an alias is resolved to its indexes, and cached for a minute or until it is cleared", async () => {
  let now = 0;
  const cluster = answering(200, DESCRIBED);
  const catalog = createIndexCatalog(cluster, () => now);
  const [first, second] = await catalog.resolve("books", deadline);
  assert.equal(first, {
    name: "books-1",
    fields: new Map(),
    maxResultWindow: 10_000,
    aliases: new Map([["books", { isWriteIndex: false, isFiltered: false }]]),
    hasNested: false,
    isPiped: false,
    unheld: new Map(),
  });
  assert.equal(second?.fields.get("a.b"), { type: "knn_vector", dimension: 3 });
  assert.is(second?.maxResultWindow, 500);
  assert.equal(second?.aliases.get("books"), { isWriteIndex: true, isFiltered: false });
  now = 59_000;
  await catalog.resolve("books", deadline);
  assert.is(cluster.calls, 1);
  now = 60_000;
  await catalog.resolve("books", deadline);
  assert.is(cluster.calls, 2);
  assert.ok(catalog.knows(["books", "books-1"]));
  assert.not(catalog.knows(["books", "films"]), "each of the names");
  catalog.forget();
  await catalog.resolve("books", deadline);
  assert.is(cluster.calls, 3);
});

const MISSING = { error: { type: "index_not_found_exception", reason: "no such index [x]" }, status: 404 };

for (const [what, name, cluster] of [
  ["a pattern without an index", "x*", answering(200, {})],
  ["a missing index", "x", answering(404, MISSING)],
] as const) {
  test(`${what} is not cached, so that a new index is seen at once`, async () => {
    const catalog = createIndexCatalog(cluster);
    const found = [await catalog.resolve(name, deadline), await catalog.resolve(name, deadline)];
    assert.equal([...found, cluster.calls], [[], [], 2]);
  });
}

test("retries end after the last attempt, at an error that is not retryable, and at the deadline", async () => {
  const attempt = async (retryable: boolean, remaining: number) => {
    let calls = 0;
    const work = async () => {
      calls += 1;
      throw new Error("no");
    };
    const options = { deadline: { remaining: () => remaining }, retryable: () => retryable, wait: async () => {} };
    await retry(work, options).catch(() => undefined);
    return calls;
  };
  assert.is(await attempt(true, 10_000), 3);
  assert.is(await attempt(false, 10_000), 1);
  assert.is(await attempt(true, 0), 1);
});

test("the delay is drawn from a range that doubles up to two seconds", () => {
  const most = (attempt: number) => backoff(attempt, () => 1);
  assert.equal([0, 1, 2, 10].map(most), [100, 200, 400, 2_000]);
  assert.is(
    backoff(5, () => 0),
    0,
  );
});

test.run();
