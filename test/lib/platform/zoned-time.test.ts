import * as assert from "uvu/assert";
import { instantOf, isTimeZone } from "../../../lib/platform/zoned-time.ts";
import { suite } from "../../suite.ts";

const test = suite("local times");

for (const [local, zone, utc] of [
  ["2026-12-01", "UTC", "2026-12-01T00:00:00.000Z"],
  ["2026-12-01T09:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"],
  ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"],
  ["2026-07-01T09:00", "Asia/Kolkata", "2026-07-01T03:30:00.000Z"],
  ["2026-01-01T00:00", "America/St_Johns", "2026-01-01T03:30:00.000Z"],
  // Clocks go from 2 to 3 in March, and from 3 to 2 in October.
  ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ["2026-03-29T03:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
] as const) {
  test(`${local} in ${zone} is ${utc}`, () => {
    assert.is(new Date(instantOf(local, zone)).toISOString(), utc);
  });
}

test("knows days that are not in the calendar, and time zones", () => {
  for (const local of ["2026-02-30", "2026-01-01T24:00", "2026-13-01", "soon"])
    assert.ok(Number.isNaN(instantOf(local, "UTC")));
  assert.equal([isTimeZone("Europe/Berlin"), isTimeZone("Mars/Base")], [true, false]);
});

test.run();
