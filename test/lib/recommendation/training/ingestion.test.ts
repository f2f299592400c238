import * as assert from "uvu/assert";
import { runKeys, sharedKeys } from "../../../../lib/recommendation/etl/run-files.ts";
import { ARRIVAL_ATTEMPTS, afterEtl } from "../../../../lib/recommendation/training/arrivals.ts";
import type { TrainingContext } from "../../../../lib/recommendation/training/context.ts";
import { awaitIngestion, checkArrivals } from "../../../../lib/recommendation/training/ingestion.ts";
import { suite } from "../../../suite.ts";
import { DEFINITIONS } from "../etl/run.ts";
import { lockOf, memoryState } from "./memory-state.ts";

const test = suite("waiting for accepted events");

const STARTED = "2025-03-02T08:00:00.000Z";
const started = Date.parse(STARTED);

async function wait(last: number | undefined, now: number) {
  const asked: (readonly string[])[] = [];
  const context = {
    state: memoryState(),
    logLookbackDays: 30,
    bufferSeconds: 60,
    now: () => now,
    accepted: async (days: readonly string[]) => {
      asked.push(days);
      return { accepted: 1, last };
    },
  } as unknown as TrainingContext;
  const { ready, seconds } = await awaitIngestion("run", { startedAt: STARTED }, context);
  return { ready, seconds, asked };
}

test("waits until the buffer has passed since the last event", async () => {
  const { ready, seconds } = await wait(started - 10_000, started);
  assert.is(ready, false);
  assert.ok(seconds >= 50 && seconds <= 70, `${seconds}`);
});

test("does not wait without events, or when the last one was long ago", async () => {
  assert.is((await wait(undefined, started)).ready, true);
  assert.is((await wait(started - 3_600_000, started)).ready, true);
});

test("under load, waits only for events accepted before it began", async () => {
  assert.is((await wait(started + 299_000, started + 300_000)).ready, true);
});

test("asks for yesterday's events after midnight", async () => {
  assert.equal((await wait(undefined, started)).asked, [["2025-03-01", "2025-03-02"]]);
});

const after = (change: Partial<Parameters<typeof afterEtl>[0]>) =>
  afterEtl({ accepted: 100, lines: 100, attempts: 0, acceptMissing: false, ...change });

test("trains when all events are stored, and when there are more lines than accepted events", () => {
  assert.equal([after({}).next, after({ lines: 130 }).next], ["train", "train"]);
});

test("waits for missing events, then stops and says what to do", () => {
  assert.equal(after({ lines: 97 }), { next: "wait", missing: 3 });
  const stopped = after({ lines: 97, attempts: ARRIVAL_ATTEMPTS });
  assert.is(stopped.next, "stop");
  assert.match("message" in stopped ? stopped.message : "", /3 are missing.*below errors\/.*--accept-missing/);
});

test("trains without missing events when told to", () => {
  assert.is(after({ lines: 97, acceptMissing: true }).next, "train");
});

/** Looks whether a run has read all of 1,100 accepted events: its plan has one group, of today, with `rows` events. */
async function arrived(rows: number, attempts: number) {
  const plan = {
    mode: "init",
    checks: [],
    days: ["2025-03-02"],
    definitions: DEFINITIONS,
    groups: [`${sharedKeys.groups("2025-03-02")}a.json`, `${sharedKeys.groups("2025-01-01")}b.json`],
    segments: [],
    shards: [],
  };
  const stored = (key: string) => (key === runKeys("run").plan ? plan : { rows, rejected: 1 });
  const state = memoryState();
  await state.take(lockOf("run"), undefined);
  const context = {
    state,
    store: { read: async (key: string) => [Buffer.from(JSON.stringify(stored(key)))] },
    logLookbackDays: 30,
    looks: { arrivals: 60 },
  } as unknown as TrainingContext;
  const begun = { startedAt: STARTED, accepted: 1_100, acceptMissing: false };
  const found = await checkArrivals("run", begun, attempts, context).catch((error: Error) => error.message);
  return { found, note: (await state.lock())?.note };
}

test("a run that has not read every accepted event looks again, and stops after the last look", async () => {
  assert.equal((await arrived(1_099, 2)).found, { ready: true, seconds: 0, attempts: 2 });
  const { found, note } = await arrived(98, 2);
  assert.equal(found, { ready: false, seconds: 60, attempts: 3 });
  const detail = "waiting for 1,001 events that are not stored yet";
  assert.equal(note, { step: "arrivals", detail, recipes: [] });
  assert.match(String((await arrived(98, ARRIVAL_ATTEMPTS)).found), "1,001 are missing");
});

test.run();
