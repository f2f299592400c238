import { readdirSync } from "node:fs";
import * as assert from "uvu/assert";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { deduplicate } from "../../../../lib/recommendation/etl/deduplicate.ts";
import { daysUntil, plan } from "../../../../lib/recommendation/etl/plan.ts";
import { readFile, runKeys, TRANSFERS } from "../../../../lib/recommendation/etl/run-files.ts";
import { withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import { RunPlan } from "../../../../lib/recommendation/etl/tasks.ts";
import { anonymousLine, eventLine, type StoredEvent } from "../../../../lib/recommendation/records/layout.ts";
import { Interactions } from "../../../../packages/local-personalize/data/interactions.ts";
import { suite } from "../../../suite.ts";
import { memoryTables } from "./memory.ts";
import { DEFINITIONS, event, LIMITS, rowsOf, STARTED, world } from "./run.ts";

const test = suite("sessions of visitors who log in");

/** An event of a session, by a user or by nobody, at this second. */
const seen = (session: string, user: string | undefined, second: number): StoredEvent =>
  event(`${session}-${user}-${second}`, {
    ...{ USER_ID: user ?? session, SESSION_ID: session, ITEM_ID: `B${second}`, TIMESTAMP: 1_740_000_000 + second },
  });
const line = (session: string, user: string | undefined, second: number) =>
  (user === undefined ? anonymousLine : eventLine)(seen(session, user, second));

/** Returns the user of each item in the file that Personalize imports. */
const usersOf = (made: ReturnType<typeof world>): Record<string, string> =>
  Object.fromEntries(
    rowsOf(made.store, "r1", "interactions")
      .map((row) => row.replaceAll('"', "").split(","))
      .map(([user = "", item = ""]) => [item, user])
      .sort(),
  );

test("the events before a login belong to the user, whatever day and object they are in", async () => {
  const made = world();
  made.events("2025-02-28", "a", line("s1", undefined, 1) + line("s2", undefined, 2));
  // Broken lines, so that the parser of records reads the object.
  made.events("2025-03-01", "a", `broken\n${line("s1", undefined, 3)}${line("s1", undefined, 4)}`);
  made.events("2025-03-02", "a", line("s1", "U1", 5) + line("s3", "U2", 6), true);
  await made.run("r1");
  assert.equal(usersOf(made), { B1: "U1", B2: "s2", B3: "U1", B4: "U1", B5: "U1", B6: "U2" });
});

test("an event after a logout belongs to who was logged in, and of two users to the first that follows", async () => {
  const made = world();
  made.events("2025-03-01", "a", line("s1", undefined, 1) + line("s1", "U1", 2) + line("s1", undefined, 3));
  made.events("2025-03-01", "b", `broken\n${line("s1", "U2", 4)}${line("s1", undefined, 5)}`);
  await made.run("r1");
  assert.equal(usersOf(made), { B1: "U1", B2: "U1", B3: "U1", B4: "U2", B5: "U2" });
});

test("a user whose id is the name of a session stays that user, as does one with an accent", async () => {
  const made = world();
  const escaped = line("é", "é", 3).replace('"SESSION_ID":"é"', String.raw`"SESSION_ID":"\u00e9"`);
  made.events("2025-03-01", "a", line("s1", "s1", 1) + line("s1", "U1", 2) + escaped + line("é", "U3", 4));
  await made.run("r1");
  assert.equal(usersOf(made), { B1: "s1", B2: "U1", B3: "é", B4: "U3" });
});

test("fields of the project may be called as anything of a login", async () => {
  const made = world();
  const named = structuredClone(DEFINITIONS);
  for (const name of ["SESSION", "User", "SINCE", "POSITION"]) {
    named.schemas.interaction.fields.push({ name, type: ["null", "string"] });
    named.etl.interaction.columns.push({ name, type: "string", nullable: true, multiple: false });
  }
  made.deploy(named);
  made.events("2025-03-01", "a", line("s1", undefined, 1) + line("s1", "U1", 2));
  await made.run("r1");
  assert.equal(usersOf(made), { B1: "U1", B2: "U1" });
});

test("training sees the users whom Personalize sees in real time, for any number of shards", async () => {
  const random = seeded(7);
  const users = new Map<string, number>();
  const events = Array.from({ length: 300 }, (_, second) => {
    const session = `s${Math.floor(random() * 40)}`;
    // Nobody logs in a second time in a session.
    if (random() < 0.3) users.set(session, (users.get(session) ?? 0) + Math.floor(random() * 2));
    const known = users.get(session);
    return { session, user: known && random() < 0.5 ? `${session}-user-${known}` : undefined, second };
  });
  const live = events.map(({ session, user, second }) => {
    const { ITEM_ID, EVENT_TYPE, TIMESTAMP } = seen(session, user, second);
    return { at: second, session, values: { ...(user && { USER_ID: user }), ITEM_ID, EVENT_TYPE, TIMESTAMP } };
  });
  const expected = new Interactions([], live).all().map(({ itemId, userId }) => [itemId, userId]);
  for (const shardBytes of [1e6, 2_000]) {
    const made = world();
    for (const [index, day] of ["2025-02-28", "2025-03-01", "2025-03-02"].entries()) {
      const part = events.slice(index * 100, (index + 1) * 100);
      made.events(day, "a", part.map(({ session, user, second }) => line(session, user, second)).join(""));
    }
    const input = { run: "r1", startedAt: STARTED, mode: "init" as const, checks: [] };
    const days = { lookbackDays: 3, forcedDays: 0 };
    await plan(input, days, made.store, memoryTables(made.records), DEFINITIONS, { shardBytes });
    for (const list of ["reads", "shards"])
      for (const task of JSON.parse(made.store.text(`etl/run=r1/plan/${list}.json`))) await made.call(task);
    assert.equal(usersOf(made), Object.fromEntries(expected.sort()));
  }
});

/** Runs ETL up to its first shard, and that with an engine that reports the folder and each of its statements. */
async function deduplicated(
  made: ReturnType<typeof world>,
  lookbackDays: number,
  onRun: (folder: string, statements: string) => void,
) {
  const input = { run: "r1", startedAt: STARTED, mode: "init" as const, checks: [] };
  await plan(input, { lookbackDays, forcedDays: 0 }, made.store, memoryTables(made.records), DEFINITIONS);
  for (const task of JSON.parse(made.store.text("etl/run=r1/plan/reads.json"))) await made.call(task);
  const [shard] = JSON.parse(made.store.text("etl/run=r1/plan/shards.json"));
  const runPlan = await readFile(made.store, runKeys("r1").plan, RunPlan);
  await withEngine(LIMITS, (engine) => {
    const run: typeof engine.run = (statements) => {
      onRun(engine.folder, statements);
      return engine.run(statements);
    };
    return deduplicate(shard, made.store, runPlan, { ...engine, run });
  });
}

test("looks for no owner of anonymous events if none of their visitors logged in", async () => {
  for (const [user, joins] of [
    [undefined, 0],
    ["U1", 1],
  ] as const) {
    const made = world();
    // A login in a session without anonymous events.
    made.events("2025-03-01", "a", line("s1", undefined, 1) + line("s1", user, 2) + line("s2", "U2", 3));
    let found = 0;
    await deduplicated(made, 2, (_, statements) => {
      if (statements.includes("ASOF")) found += 1;
    });
    assert.is(found, joins);
    assert.equal(usersOf(made), { B1: user ?? "s1", B2: user ?? "s1", B3: "U2" });
  }
});

test("keeps the logins of few groups on the disk at a time, whatever their number", async () => {
  const made = world();
  const days = daysUntil(STARTED, 50);
  const [last = "", ...others] = days.toReversed();
  for (const [at, day] of others.entries()) made.events(day, "a", line(`s${at}`, `U${at}`, 1_000 + at));
  made.events(last, "a", others.map((_, at) => line(`s${at}`, undefined, at)).join(""));
  let most = 0;
  await deduplicated(made, days.length, (folder) => {
    most = Math.max(most, readdirSync(folder).filter((name) => name.includes("logins")).length);
  });
  assert.is(most, TRANSFERS);
  const users = usersOf(made);
  assert.equal(
    others.map((_, at) => users[`B${at}`]),
    others.map((_, at) => `U${at}`),
  );
});

test("an event before a login counts once when it is imported, too", () => {
  const columns = ["USER_ID", "ITEM_ID", "EVENT_TYPE", "TIMESTAMP"];
  const part = { columns, rows: [["U1", "B1", "view", 1]], jobArn: "arn", importedAt: 0 };
  const found = new Interactions(
    [part],
    [
      { at: 1, session: "s1", values: { ITEM_ID: "B1", EVENT_TYPE: "view", TIMESTAMP: 1 } },
      { at: 2, session: "s1", values: { ITEM_ID: "B2", EVENT_TYPE: "view", TIMESTAMP: 2, USER_ID: "U1" } },
    ],
  );
  const expected = ["B1", "B2"].map((itemId) => ["U1", itemId]);
  assert.equal(
    found.all().map(({ userId, itemId }) => [userId, itemId]),
    expected,
  );
  assert.is(found.ofUser("U1").length, 2);
});

test.run();
