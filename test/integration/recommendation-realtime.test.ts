import * as assert from "uvu/assert";
import { patient } from "../../packages/processes/wait.ts";
import { awsError } from "../functions/recommendation-api/aws-front.ts";
import { takeMessages } from "../functions/recommendation-api/stored.ts";
import { startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("the real-time path of uploads");

const world: World = await startWorld({ timeouts: { realtime_ms: 2_000 } });
const { names, front, post } = world;

const EVENT = { USER_ID: "u1", ITEM_ID: "b1", EVENT_TYPE: "click", TIMESTAMP: 1_740_000_000 };
const untrained = async () => {
  await world.removeParameter(names.campaignParameter("user_personalization"));
  await world.restart();
};
const trained = async () => {
  await world.putParameter(names.campaignParameter("user_personalization"), names.arn("personalize", "campaign/x"));
  await world.putParameter(names.eventTrackerParameter(), "tracker");
  await world.restart();
};

test.before.each(() => {
  front.faults.clear();
  front.calls.clear();
});
test.after(() => world.stop());

test("sends nothing in real time before the first training", async () => {
  await untrained();
  await post("/update-items", { items: [{ ITEM_ID: "b1" }] });
  await post("/log-event", { events: [EVENT] });
  assert.equal(await takeMessages(world), []);
  assert.is(front.calls.get("personalize /events"), undefined);
});

test("once a campaign is active, the ids of stored records go to the queue, ten a message", async () => {
  await trained();
  const items = Array.from({ length: 25 }, (_, index) => ({ ITEM_ID: `q${index}`, TITLE: "x" }));
  const answer = await post("/update-items", { items: [...items, { ITEM_ID: "q0" }, { TITLE: "no id" }] });
  assert.is(answer.body.degraded, undefined);
  const bodies = (await takeMessages(world)).map(({ body }) => JSON.parse(body));
  assert.equal(bodies.map(({ ids }) => ids.length).sort(), [10, 10, 5]);
  assert.ok(bodies.every(({ dataset }) => dataset === "item"));
  assert.equal(bodies.flatMap(({ ids }) => ids).sort(), items.map(({ ITEM_ID }) => ITEM_ID).sort());
});

test("once a campaign is active, events go to PutEvents as they are trained, ten a call, by user and session", async () => {
  await trained();
  const calls: { userId: string; sessionId: string; trackingId: string; eventList: Record<string, unknown>[] }[] = [];
  front.faults.set("personalize", ({ body }) => {
    calls.push(JSON.parse(body.toString()));
    return { status: 200, body: "" };
  });
  const events = Array.from({ length: 12 }, (_, index) => ({ ...EVENT, EVENT_ID: `e${index}` }));
  const other = {
    ...EVENT,
    EVENT_ID: "o",
    SESSION_ID: "s",
    EVENT_VALUE: 2,
    IMPRESSION: "b1|b2",
    RECOMMENDATION_ID: "R",
  };
  const answer = await post("/log-event", { events: [...events, other, { ...EVENT, USER_ID: "" }] });
  assert.equal([answer.body.response.accepted, answer.body.degraded], [13, undefined]);
  assert.equal(calls.map(({ sessionId, eventList }) => [sessionId, eventList.length]).sort(), [
    ["s", 1],
    ["u1", 10],
    ["u1", 2],
  ]);
  const call = calls.find(({ sessionId }) => sessionId === "s");
  assert.equal([call?.trackingId, call?.userId], ["tracker", "u1"]);
  assert.equal(call?.eventList, [
    {
      eventId: "o",
      eventType: "click",
      itemId: "b1",
      sentAt: 1_740_000_000,
      eventValue: 2,
      impression: ["b1", "b2"],
      recommendationId: "R",
    },
  ]);
});

test("sends events of a visitor who is not known without a user, so that Personalize joins them after login", async () => {
  await trained();
  const calls: Record<string, unknown>[] = [];
  front.faults.set("personalize", ({ body }) => {
    const { eventList: _, ...who } = JSON.parse(body.toString());
    // A call of the test before may come late.
    if (who.sessionId === "v") calls.push(who);
    return { status: 200, body: "" };
  });
  const { USER_ID: _, ...unknown } = EVENT;
  const events = [{ ...unknown, SESSION_ID: "v" }, { ...EVENT, SESSION_ID: "v" }, unknown];
  const { body } = await post("/log-event", { events });
  assert.equal([body.response.accepted, body.response.rejected[0]?.issues[0]?.path], [2, "USER_ID"]);
  assert.equal(
    calls.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length),
    [
      { trackingId: "tracker", sessionId: "v" },
      { trackingId: "tracker", userId: "u1", sessionId: "v" },
    ],
  );
});

for (const [what, service, path, body, target] of [
  ["Personalize", "personalize", "/log-event", { events: [EVENT, EVENT] }, "events"],
  ["the queue", "sqs", "/update-items", { items: [{ ITEM_ID: "b1" }] }, "items"],
  ["the queue", "sqs", "/update-users", { users: [{ USER_ID: "u1" }] }, "users"],
] as const) {
  test(`with ${what} down, ${path} still accepts and stores, and says so`, async () => {
    await trained();
    front.faults.set(service, () => awsError(500, "InternalServerError"));
    const answer = await post(path, body);
    assert.is(answer.status, 200, answer.text);
    const [degraded, more] = answer.body.degraded ?? [];
    assert.is(more, undefined);
    assert.equal([degraded?.stage, degraded?.target], ["realtime", target]);
    // On a busy machine, the time limit of the real-time path may cut the last attempt short.
    assert.match(degraded?.reason ?? "", /is unavailable|did not answer in time/);
    assert.is(answer.headers.get("x-degraded"), "realtime");
  });
}

test("a Personalize that hangs delays an upload by no more than the time limit of the real-time path", async () => {
  await trained();
  front.faults.set("personalize", () => new Promise(() => undefined));
  const started = performance.now();
  const events = Array.from({ length: 300 }, (_, index) => ({ ...EVENT, USER_ID: `u${index}` }));
  const answer = await post("/log-event", { events });
  assert.equal([answer.status, answer.body.degraded?.[0]?.stage], [200, "realtime"]);
  assert.match(answer.body.degraded?.[0]?.reason ?? "", "300 of 300 events");
  assert.ok(performance.now() - started < patient(20_000));
});

test("with the parameter store down, accepts events, and says what happened to the real-time path", async () => {
  await world.restart();
  front.faults.set("ssm", () => awsError(500, "InternalServerError"));
  const answer = await post("/log-event", { events: [EVENT] });
  assert.equal([answer.status, answer.body.degraded?.[0]?.stage], [200, "realtime"]);
});

test("a trained service without an event tracker says so", async () => {
  await trained();
  await world.removeParameter(names.eventTrackerParameter());
  await world.restart();
  const answer = await post("/log-event", { events: [EVENT] });
  assert.is(answer.body.degraded?.[0]?.reason, "no event tracker is known");
});

test("passes on only the event types that the last ETL imported, and stores the others", async () => {
  await trained();
  await world.putEventTypes(["click", "view"]);
  const sent: string[] = [];
  front.faults.set("personalize", ({ body }) => {
    sent.push(...JSON.parse(body.toString()).eventList.map(({ eventType }: { eventType: string }) => eventType));
    return { status: 200, body: "" };
  });
  const events = ["hover", "view", "scroll", "click"].map((EVENT_TYPE) => ({ ...EVENT, EVENT_TYPE }));
  const answer = await post("/log-event", { events });
  assert.equal([answer.body.response.accepted, answer.body.degraded], [4, undefined]);
  assert.equal(sent.sort(), ["click", "view"]);
  sent.length = 0;
  await post("/log-event", { events: events.slice(0, 1) });
  assert.equal(sent, []);
});

test("with the table of event types down, passes nothing on, and says so", async () => {
  await trained();
  front.faults.set("dynamodb", ({ body }) =>
    body.includes("event-types") ? awsError(500, "InternalServerError") : undefined,
  );
  const answer = await post("/log-event", { events: [EVENT] });
  assert.is(answer.status, 200, answer.text);
  assert.match(answer.body.degraded?.[0]?.reason ?? "", /1 of 1 events: the table of event types /);
  assert.is(front.calls.get("personalize /events"), undefined);
});

test.run();
