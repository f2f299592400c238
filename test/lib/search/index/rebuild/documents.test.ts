import * as assert from "uvu/assert";
import { copyVersion, readByIds } from "../../../../../lib/search/index/rebuild/documents.ts";
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

test.run();
