import * as assert from "uvu/assert";
import {
  copyVersion,
  readByIds,
  readIds,
  readSources,
  type SourceCopy,
} from "../../../../../lib/search/index/rebuild/documents.ts";
import type { RunCalls } from "../../../../../lib/search/index/rebuild/run-calls.ts";
import { ClusterFailure } from "../../../../../lib/search/opensearch/cluster.ts";
import { suite } from "../../../../suite.ts";

const test = suite("versions of copies");

test("are exact where a JavaScript number would be rounded", () => {
  assert.is(copyVersion(1, 8_192), 9_007_199_254_740_993n);
});

test("of a later primary term are higher than those of an earlier one, whatever the sequence numbers", () => {
  assert.ok(copyVersion(0, 2) > copyVersion(2 ** 40 - 1, 1));
});

test("stay below 2^63", () => {
  assert.is(copyVersion(0, 2 ** 23 - 1), (2n ** 23n - 1n) * 2n ** 40n);
  assert.throws(() => copyVersion(0, 2 ** 23), /no version below 2\^63/);
  assert.throws(() => copyVersion(2 ** 40, 1), /no version below 2\^63/);
});

const wanted = ["a", "b", "c"].map((id) => ({ id, seqNo: 0, version: 1n }));

/** Reads three documents, of which the cluster answers at most `most` at a time, and returns the ids of each call. */
async function readThree(most: number, failure = new ClusterFailure("too_large", true, "too large")) {
  const asked: string[][] = [];
  const send: RunCalls["send"] = async ({ body }) => {
    const ids = (JSON.parse(String(body)).docs as Array<{ _id: string }>).map(({ _id }) => _id);
    asked.push(ids);
    if (ids.length > most) throw failure;
    const docs = ids.map((_id, at) => ({ _id, found: _id !== "b", _version: 2, _seq_no: at, _primary_term: 1 }));
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ docs })) };
  };
  const read = await readByIds({ send } as RunCalls, "i", wanted, { source: false, realtime: true });
  return { asked, found: read.map((one) => one !== undefined) };
}

test("documents that are too large together are read in halves, in their order", async () => {
  assert.equal(await readThree(3), { asked: [["a", "b", "c"]], found: [true, false, true] });
  assert.equal(await readThree(1), {
    asked: [["a", "b", "c"], ["a", "b"], ["a"], ["b"], ["c"]],
    found: [true, false, true],
  });
});

test("a document that is looked up has its versions, by which its next write is guarded, and its source as written", async () => {
  const doc = '{"_id":"a","found":true,"_version":9007199254740993,"_seq_no":7,"_primary_term":2,"_source":{"n":1.0}}';
  const send: RunCalls["send"] = async () => ({ status: 200, headers: {}, body: Buffer.from(`{"docs":[${doc}]}`) });
  const [found] = await readByIds({ send } as RunCalls, "i", wanted, { source: true, realtime: true });
  assert.equal(found, { version: 9_007_199_254_740_993n, seqNo: 7, primaryTerm: 2, source: '{"n":1.0}' });
});

test("documents are looked up on their primary, which has every write that was answered", async () => {
  const sent: Array<string | undefined> = [];
  const send: RunCalls["send"] = async ({ query }) => {
    sent.push(new URLSearchParams(String(query)).get("preference") ?? undefined);
    return { status: 200, headers: {}, body: Buffer.from('{"docs":[]}') };
  };
  await readByIds({ send } as RunCalls, "i", wanted, { source: false, realtime: true });
  assert.equal(sent, ["_primary"]);
});

test("one document that is too large, and any other failure, end the read", async () => {
  for (const [most, failure] of [
    [0, new ClusterFailure("too_large", true, "too large")],
    [1, new ClusterFailure("timeout", true, "late")],
    [1, new Error("a bug")],
  ] as const) {
    const error = await readThree(most, failure as ClusterFailure).catch((thrown: unknown) => thrown);
    assert.is(error, failure);
  }
});

/** A cluster with five documents, some with a routing, that answers at most `most` sources at a time. */
function stored(most: number) {
  const sizes: number[] = [];
  const send: RunCalls["send"] = async ({ body }) => {
    const { size, query, _source } = JSON.parse(String(body));
    const { gte, lte } = query.range._seq_no;
    sizes.push(size);
    const hits = Array.from({ length: 5 }, (_, n) => ({
      _id: `d${n}`,
      ...(n % 2 === 0 && { _routing: `r${n}` }),
      _seq_no: n,
      _primary_term: 1,
      ...(_source !== false && { _source: { n } }),
    })).filter(({ _seq_no }) => _seq_no >= gte && _seq_no <= lte);
    const page = hits.slice(0, size);
    if (_source !== false && page.length > most) throw new ClusterFailure("too_large", true, "too large");
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ hits: { hits: page } })) };
  };
  return { calls: { send } as RunCalls, sizes };
}

async function readAll(calls: RunCalls) {
  const found: SourceCopy[] = [];
  for await (const page of readSources(calls, "i", { shard: 0, from: 0, to: 4 })) found.push(...page);
  return found;
}

const ROUTINGS = ["r0", undefined, "r2", undefined, "r4"];

test("sources that are too large together are read in smaller pages, in their order and with their routing", async () => {
  const { calls, sizes } = stored(3);
  const found = await readAll(calls);
  assert.equal(
    found.map(({ id, routing, source }) => [id, routing, source]),
    ROUTINGS.map((routing, n) => [`d${n}`, routing, `{"n":${n}}`]),
  );
  assert.ok(found.every((one) => "routing" in one === (one.routing !== undefined)));
  assert.equal(sizes.slice(0, 2), [200, 50]);
});

test("a source that is too large alone ends the read, and says so", async () => {
  const failed = await readAll(stored(0).calls).catch((error: Error) => error.message);
  assert.match(String(failed), "A document of i is too large");
});

test("ids are read with their routing", async () => {
  const found = await readIds(stored(0).calls, "i", { shard: 0, from: 0, to: 4 });
  assert.equal(
    found.map(({ id, routing }) => [id, routing]),
    ROUTINGS.map((routing, n) => [`d${n}`, routing]),
  );
});

test.run();
