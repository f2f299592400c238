import * as assert from "uvu/assert";
import { packed, requestsOf } from "../../../lib/platform/aws/record-stream.ts";
import { eventBatches } from "../../../lib/recommendation/clients/realtime.ts";
import { trainedEvent } from "../../../lib/recommendation/records/trained-event.ts";
import { suite } from "../../suite.ts";
import { DEFINITIONS, event } from "./etl/run.ts";

const test = suite("recommendation: stream records");

test("packs lines into records of about 64 KiB, each line once and whole", () => {
  const lines = Array.from({ length: 500 }, (_, index) => `${"é".repeat(index)}${index}\n`);
  const records = packed(lines);
  assert.is(Buffer.concat(records.map(({ Data }) => Data)).toString(), lines.join(""));
  assert.ok(records.length > 1 && records.every(({ Data }) => Data.length <= 64 * 1024));
  assert.equal(
    records.flatMap(({ indexes }) => indexes),
    lines.map((_, index) => index),
  );
});

test("puts a line above the size into its own record, and makes no record without lines", () => {
  assert.equal(
    packed(["a\n", `${"x".repeat(70_000)}\n`, "b\n"]).map(({ indexes }) => indexes),
    [[0], [1], [2]],
  );
  assert.equal(packed([]), []);
});

test("fills a call of PutRecordBatch up to its 4 MiB and 500 records, and never further", () => {
  const counts = (sizes: readonly number[]) =>
    requestsOf(sizes.map((size, index) => ({ Data: Buffer.alloc(size), indexes: [index] }))).map(
      ({ length }) => length,
    );
  const most = 4 * 1024 * 1024;
  assert.equal(counts([most - 1, 1, 1]), [2, 1]);
  assert.equal(counts([most, most + 1, 1]), [1, 1, 1]);
  assert.equal(counts(Array.from({ length: 501 }, () => 1)), [500, 1]);
});

test("sends events of a user's session together and in order, ten a call", () => {
  const events = [
    ...Array.from({ length: 11 }, (_, index) => event(`a${index}`)),
    event("other", { SESSION_ID: "s" }),
    event("user", { USER_ID: "U2" }),
    event("last"),
    event("unknown"),
  ];
  const batches = eventBatches(
    events.map((one) => ({ event: one, isAnonymous: one.EVENT_ID === "unknown" })),
    trainedEvent(DEFINITIONS),
  );
  assert.equal(
    batches.map(({ userId, sessionId, eventList }) => [userId, sessionId, eventList.map(({ eventId }) => eventId)]),
    [
      ["U1", "U1", ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"]],
      ["U1", "U1", ["a10", "last"]],
      ["U1", "s", ["other"]],
      ["U2", "U1", ["user"]],
      [undefined, "U1", ["unknown"]],
    ],
  );
});

test.run();
