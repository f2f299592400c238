import * as assert from "uvu/assert";
import type { RunCalls } from "../../../../../lib/search/index/rebuild/run-calls.ts";
import type { RunRecord } from "../../../../../lib/search/index/rebuild/run-record.ts";
import { holdWrites } from "../../../../../lib/search/index/rebuild/switch.ts";
import { suite } from "../../../../suite.ts";

const test = suite("the switch of a rebuild");

test("a hold is announced before writes are blocked, and says whether every shard has blocked them", async () => {
  for (const shards_acknowledged of [true, false]) {
    const sent: string[] = [];
    const json: RunCalls["json"] = async ({ method, path, body }) => {
      sent.push(`${method} ${path} ${body ?? null}`);
      return { shards_acknowledged };
    };
    const { hold, blocked } = await holdWrites({ json } as RunCalls, { source: "old", target: "new" } as RunRecord, 5);
    assert.equal(sent, [
      `POST /_aliases ${JSON.stringify({ actions: [{ add: { index: "new", alias: hold.alias } }] })}`,
      "PUT /old/_block/write null",
    ]);
    assert.equal([hold.until, blocked], [5, shards_acknowledged]);
  }
});

test.run();
