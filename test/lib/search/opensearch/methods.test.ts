import * as assert from "uvu/assert";
import * as index from "../../../../lib/search/index/rebuild/requests.ts";
import { indices, mget, nodes, tasks } from "../../../../lib/search/opensearch/requests.ts";
import { suite } from "../../../suite.ts";

const test = suite("requests by the client's methods");

test("have names encoded, parameters in the query and a JSON body", () => {
  assert.equal(indices.get({ index: "a/b,c*", flat_settings: true }), {
    method: "GET",
    path: "/a%2Fb%2Cc*",
    query: "flat_settings=true",
  });
  assert.equal(mget({ index: "i", _source_includes: ["a.b", "c"], body: { docs: [{ _id: "1" }] } }), {
    method: "POST",
    path: "/i/_mget",
    query: "_source_includes=a.b%2Cc",
    headers: { "content-type": "application/json" },
    body: '{"docs":[{"_id":"1"}]}',
  });
  assert.equal(tasks.get({ task_id: "n:7", filter_path: "task.headers" }).path, "/_tasks/n%3A7");
  assert.equal(nodes.info({}), { method: "GET", path: "/_nodes" });
});

test("are the same each time they are made", () => {
  const params = { index: "i", id: "é(*)'!", if_seq_no: 3, if_primary_term: 1, body: { a: [1] } };
  const [first, second] = [index.documents.index(params), index.documents.index(params)];
  assert.equal(first, second);
  assert.is(first.query, "if_seq_no=3&if_primary_term=1");
  assert.is(first.path, `/i/_doc/${encodeURIComponent(params.id)}`);
});

test("refresh by POST, as administration allows it", () => {
  assert.equal(index.indices.refresh({ index: "i" }), { method: "POST", path: "/i/_refresh" });
});

test.run();
