import * as assert from "uvu/assert";
import { activate, eventCampaign, eventsOf, importedRows, rowOf, upload } from "../fixtures/faults/events.ts";
import { awsError } from "../functions/recommendation-api/aws-front.ts";
import { storedEvents } from "../functions/recommendation-api/stored.ts";
import { startWorld } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("events while their storage or Personalize fails");

/** A fifth of what `make bench ARGS=event-faults` sends, in as many requests. */
const EVENTS = 20_000;

const world = await startWorld();
test.after(() => world.stop());

test("of 20,000 events, trains every accepted one exactly once, and reports every other one", async () => {
  const report = await eventCampaign(world, EVENTS);
  assert.ok(report.rejected > 0, "the store was down for long enough to reject some");
  assert.equal(report.acceptedAndNotStored, []);
  assert.ok(report.stored >= report.counted, "accepted events are missing");
  assert.ok(report.counted > EVENTS * 0.99, "few went uncounted");
  assert.ok(report.stored > EVENTS, "lost answers left some twice in the bucket");
  assert.equal([report.imported, report.different], [EVENTS, EVENTS], "no event is trained twice");
  assert.equal(report.acceptedAndNotTrained, []);
  assert.equal(report.trackedDifferently, []);
  assert.ok(report.tracked >= EVENTS * 0.9);
});

test("with Personalize's events API down throughout, accepts every event, says that it is late, and imports it next time", async () => {
  const COUNT = 2_000;
  await activate(world);
  world.front.faults.clear();
  let refused = 0;
  world.front.faults.set("personalize", () => {
    refused += 1;
    return awsError(503, "ServiceUnavailable");
  });
  const events = eventsOf(COUNT, "down");
  const rejected = await upload(world, events, 250, ({ status, body, headers, text }, count) => {
    assert.is(status, 200, text.slice(0, 300));
    assert.is(headers.get("x-degraded"), "realtime");
    const { stage, target, reason = "", effect } = body.degraded?.[0] ?? {};
    assert.equal([stage, target], ["realtime", "events"]);
    assert.match(reason, `${count} of ${count} events: `);
    assert.is(effect, "stored; recommendations take it into account after the next training");
  });
  assert.equal(rejected, []);
  assert.ok(refused >= COUNT / 10, "Personalize was told of each event");

  const lines = (await storedEvents(world)).filter(({ EVENT_ID }) => EVENT_ID.startsWith("down"));
  const rows = await importedRows(lines);
  assert.equal(rows.toSorted(), events.map(rowOf).toSorted());
});

test.run();
