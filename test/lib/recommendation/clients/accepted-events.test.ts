import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { BatchGetCommandInput, UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import {
  comparableDays,
  dayOf,
  dynamoEventCounter,
  readAcceptedEvents,
  secondsUntilStored,
} from "../../../../lib/recommendation/clients/accepted-events.ts";
import { TABLE_KEYS } from "../../../../lib/recommendation/records/tables.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: accepted events");

test("days are in UTC", () => {
  assert.is(dayOf(Date.parse("2025-03-01T23:59:59.999Z")), "2025-03-01");
  assert.is(dayOf(Date.parse("2025-03-01T23:59:59.999-05:00")), "2025-03-02");
});

test("counts the events of a day in several partitions, and reads each of them", async () => {
  const table = new Map<string, Record<string, unknown>>();
  let unread = 1;
  const keyOf = (key: object) => JSON.stringify(Object.values(key));
  const send = async ({ input }: { input: UpdateCommandInput & BatchGetCommandInput }) => {
    if (input.Key) {
      const { ":events": ACCEPTED, ":last": LAST } = input.ExpressionAttributeValues ?? {};
      assert.equal(Object.keys(input.Key), [TABLE_KEYS.ingestion]);
      table.set(keyOf(input.Key), { ...input.Key, ACCEPTED, LAST });
      return {};
    }
    const [{ Keys = [] } = {}] = Object.values(input.RequestItems ?? {});
    // What DynamoDB leaves out is read again.
    const [left, read] = unread-- > 0 ? [Keys.slice(0, 50), Keys.slice(50)] : [[], Keys];
    assert.ok(Keys.length <= 100, `${Keys.length}`);
    return {
      Responses: { ingestion: read.flatMap((key) => table.get(keyOf(key)) ?? []) },
      UnprocessedKeys: left.length > 0 ? { ingestion: { Keys: left } } : {},
    };
  };
  const client = { send } as unknown as DynamoDBClient;
  const deadline = deadlineIn(10_000);
  const days = Array.from({ length: 12 }, (_, index) => new Date(Date.UTC(2025, 2, index + 1, 12)));
  for (const [index, day] of days.entries()) {
    for (const shard of [0, 1, 9]) {
      const options = { shard, now: () => day.getTime() + shard };
      await dynamoEventCounter(async () => client, "ingestion", 1_000, options)(index + 1, deadline);
    }
  }
  assert.is(table.size, 36);
  const dates = days.slice(1).map((day) => day.toISOString().slice(0, 10));
  const found = await readAcceptedEvents(client, "ingestion", dates, { deadline, timeoutMs: 1_000 });
  assert.equal(found, { accepted: 3 * (2 + 12) * (11 / 2), last: (days.at(-1)?.getTime() ?? 0) + 9 });
});

test("waits for the buffer after the last event, and does not wait without events", () => {
  const now = Date.parse("2025-03-01T12:00:00Z");
  assert.is(secondsUntilStored({ accepted: 0, last: undefined }, 300, now), 0);
  assert.is(secondsUntilStored({ accepted: 1, last: now }, 300, now), 315);
  assert.is(secondsUntilStored({ accepted: 1, last: now - 60_500 }, 300, now), 255);
  assert.is(secondsUntilStored({ accepted: 1, last: now - 3_600_000 }, 300, now), 0);
});

test("the first day is not compared, since its first events may be in the folder of the day before", () => {
  assert.equal(comparableDays(["2025-03-02", "2025-03-01", "2025-03-03"]), ["2025-03-02", "2025-03-03"]);
  assert.equal(comparableDays(["2025-03-01"]), []);
});

test.run();
