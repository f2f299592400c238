import * as assert from "uvu/assert";
import { comparableDays, dayOf, secondsUntilStored } from "../../../../lib/recommendation/clients/accepted-events.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: accepted events");

test("days are in UTC", () => {
  assert.is(dayOf(Date.parse("2025-03-01T23:59:59.999Z")), "2025-03-01");
  assert.is(dayOf(Date.parse("2025-03-01T23:59:59.999-05:00")), "2025-03-02");
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
