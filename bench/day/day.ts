import { setTimeout as sleep } from "node:timers/promises";
import { storedEvents } from "../../test/functions/recommendation-api/stored.ts";
import { direct } from "../gateway-setup.ts";
import { type Benchmark, load as machineLoad, median, ms, type Row } from "../result.ts";
import { type DayFault, FAULTS, SERVING_FAULTS } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import { type Call, type Load, startLoad } from "./load.ts";
import { type Span, startPulse } from "./pulse.ts";
import type { Sample } from "./serving.ts";
import { type DayWorld, HYBRID_INDEX, PLAIN_INDEX, startDay } from "./world.ts";

/** Length of the day. To debug: `DAY_MINUTES=3 DAY_PERIOD=20 make bench ARGS=day`. */
const DAY_MS = Number(process.env.DAY_MINUTES ?? 60) * 60_000;
/** From the begin of one fault to the begin of the next. */
const PERIOD_MS = Number(process.env.DAY_PERIOD ?? 60) * 1_000;
const FAULT_MS = PERIOD_MS / 3;
/** After a fault ends, errors count as its consequence for this long: connections and breakers recover. */
const RECOVERY_MS = PERIOD_MS / 6;
const SEED = 1;
/** How much larger the last sixth of the day may be than the second. */
const GROWTH = 1.1;

/** When a fault acted, with its recovery. */
interface Disturbance extends Span {
  name: string;
}

/**
 * A day in an hour: mixed load on both services with a fault each minute. Checks that every acknowledged write is
 * stored, that nothing fails between faults, and that memory and descriptors do not grow.
 */
export const dayBenchmark: Benchmark = {
  name: "day",
  async run(): Promise<Row[]> {
    const world = await startDay();
    // Also keeps the process alive, which servers do not.
    const pulse = startPulse();
    try {
      const { users, items } = world.shop.data;
      const began = Date.now();
      const load = startLoad(
        {
          search: world.gateway.url,
          recommendation: world.recommendation.url,
          key: world.key,
          plainIndex: PLAIN_INDEX,
          hybridIndex: HYBRID_INDEX,
          users: users.map(({ userId }) => userId),
          items: items.map(({ itemId }) => itemId),
        },
        SEED,
      );
      const spans = await plantFaults(world, load, began);
      await load.stop();
      const ended = Date.now();
      const rows = [
        ...callRows(load, { spans, stalls: pulse.stalls }, began, ended),
        await documentRow("documents", world, PLAIN_INDEX, load.plain),
        await documentRow("documents with embeddings", world, HYBRID_INDEX, load.embedded),
        await eventRow(world, load),
      ];
      const { gateway, recommendation } = world;
      for (const [name, { samples }] of Object.entries({ gateway, recommendation })) {
        rows.push(...resourceRows(name, samples, began, ended));
      }
      return rows;
    } finally {
      await world.stop();
      pulse.stop();
    }
  },
};

async function plantFaults(world: DayWorld, load: Load, began: number): Promise<Disturbance[]> {
  const spans: Disturbance[] = [];
  // A quiet first period; and a fault that ends late takes the turn of the next one.
  for (let turn = 1; turn * PERIOD_MS + FAULT_MS < DAY_MS; turn = Math.ceil((Date.now() - began) / PERIOD_MS)) {
    await sleep(began + turn * PERIOD_MS - Date.now());
    const fault = faultOf(spans.length);
    const begin = Date.now();
    await fault.begin(world);
    await sleep(FAULT_MS);
    await fault.end(world);
    spans.push({ name: fault.name, begin, end: Date.now() + RECOVERY_MS });
    const seconds = Math.round((Date.now() - began) / 1_000);
    console.error(`${seconds} s: ${fault.name}; ${load.calls.length} requests, ${machineLoad()}`);
  }
  await sleep(began + DAY_MS - Date.now());
  return spans;
}

/** Returns the n-th fault of the day. */
function faultOf(n: number): DayFault {
  const fault = n < SERVING_FAULTS.length ? SERVING_FAULTS[n] : FAULTS[(n - SERVING_FAULTS.length) % FAULTS.length];
  if (!fault) throw new Error("there is no fault");
  return fault;
}

interface Disturbances {
  spans: readonly Disturbance[];
  stalls: readonly Span[];
}

function callRows({ calls }: Load, { spans, stalls }: Disturbances, began: number, ended: number): Row[] {
  const overlaps = (call: Call) => (span: Span) => call.began < span.end && call.ended > span.begin;
  const calm = calls.filter((call) => !spans.some(overlaps(call)));
  const disturbed = calls.filter((call) => spans.some(overlaps(call)));
  const notOk = calm.filter(({ outcome }) => outcome !== "ok");
  const failed = notOk.filter((call) => !stalls.some(overlaps(call)));
  for (const call of notOk) console.error(`no fault: ${explained(call, spans, stalls)}`);
  const minutes = Math.round((ended - began) / 60_000);
  const times = calm.map((call) => call.ended - call.began).toSorted((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  const longest = Math.max(0, ...stalls.map(({ begin, end }) => end - begin));
  return [
    {
      what: `a day in ${minutes} minutes with ${spans.length} faults: requests that fail or are degraded while no fault is active and the machine keeps up`,
      budget: "0",
      reached: `${failed.length} of ${calm.length}`,
      kept: failed.length === 0,
      note:
        `${reasonsOf(failed)}${notOk.length - failed.length} more while this process waited for a processor (${stalls.length} times, ` +
        `${ms(longest)} at the most). p50 ${ms(median(times))}, p99 ${ms(p99)}; ${machineLoad()}`,
    },
    {
      what: "the same day: requests while a fault is active, by outcome",
      budget: "each is answered",
      reached: `${disturbed.length} requests`,
      kept: !disturbed.some(({ outcome }) => outcome === "no answer: TimeoutError"),
      note: `${countsOf(disturbed)}faults: ${[...new Set(spans.map(({ name }) => name))].join("; ")}`,
    },
  ];
}

/** Returns a line about a request that failed without a fault: why, how long it took, and what came before it. */
function explained(call: Call, spans: readonly Disturbance[], stalls: readonly Span[]): string {
  const last = spans.findLast(({ end }) => end <= call.began);
  const since = last ? `${Math.round((call.began - last.end) / 1_000)} s after: ${last.name}` : "before any fault";
  const stall = stalls.find(({ begin, end }) => call.began < end && call.ended > begin);
  const stalled = stall ? `; no processor for ${ms(stall.end - stall.begin)}` : "";
  const time = new Date(call.began).toISOString().slice(11, 19);
  return `${time} ${call.kind} ${call.outcome} after ${call.ended - call.began} ms: ${call.reason ?? ""} (${since}${stalled})`;
}

/** Returns how many requests there are of each kind, outcome and reason. Numbers in reasons do not count. */
function reasonsOf(calls: readonly Call[]): string {
  const groups = Map.groupBy(calls, ({ kind, outcome, reason = "" }) => {
    return `${kind} ${outcome} (${reason.replaceAll(/\d+/g, "n")})`;
  });
  return [...groups].map(([reason, members]) => `${reason}: ${members.length}. `).join("");
}

function countsOf(calls: readonly Call[]): string {
  const groups = Map.groupBy(calls, ({ kind, outcome }) => `${kind} ${outcome}`);
  const sorted = [...groups].toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([key, members]) => `${key}: ${members.length}. `).join("");
}

const MGET = 1_000;

async function documentRow(what: string, { cluster }: DayWorld, index: string, ledger: Ledger): Promise<Row> {
  const ids = ledger.ids();
  const wrong: string[] = [];
  let stored = 0;
  for (let at = 0; at < ids.length; at += MGET) {
    const body = JSON.stringify({ ids: ids.slice(at, at + MGET) });
    const { docs } = (await direct(cluster.url, "POST", `/${index}/_mget`, body)) as {
      docs: { _id: string; _source?: { n: number; text?: string; text_dense?: number[] } }[];
    };
    for (const { _id, _source } of docs) {
      if (_source) stored += 1;
      const lacksVector = index === HYBRID_INDEX && _source?.text !== undefined && !_source.text_dense;
      if (ledger.allows(_id, _source?.n) && !lacksVector) continue;
      wrong.push(_id);
      console.error(
        `${_id} holds ${_source?.n}${lacksVector ? " without a vector" : ""}: ${ledger.history(_id).join("; ")}`,
      );
    }
  }
  const { done, not_done, unknown } = ledger.counts;
  return {
    what: `the same day: ${what} that differ from the last acknowledged write`,
    budget: "0",
    reached: `${wrong.length} of ${ids.length}`,
    kept: wrong.length === 0,
    note:
      `operations: ${done} acknowledged, ${not_done} reported as not done, ${unknown} as unknown; ${stored} documents stored` +
      (wrong.length > 0 ? `; wrong: ${wrong.slice(0, 5).join(", ")}` : ""),
  };
}

async function eventRow({ world }: DayWorld, { events }: Load): Promise<Row> {
  const stored = (await storedEvents(world)).map(({ EVENT_ID }) => EVENT_ID);
  const known = new Set(stored);
  const lost = [...events.accepted].filter((id) => !known.has(id));
  return {
    what: "the same day: accepted events that are not stored",
    budget: "0",
    reached: `${lost.length} of ${events.accepted.size}`,
    kept: lost.length === 0,
    note:
      `${events.other.size} were not accepted; ${stored.length - known.size} are stored twice, which the next training ` +
      `removes${lost.length > 0 ? `; lost: ${lost.slice(0, 5).join(", ")}` : ""}`,
  };
}

function resourceRows(name: string, samples: readonly Sample[], began: number, ended: number): Row[] {
  const sixth = (ended - began) / 6;
  const within = (from: number) =>
    samples.filter(({ at }) => at >= began + from * sixth && at < began + (from + 1) * sixth);
  const [early, late] = [within(1), within(5)];
  const row = (
    what: string,
    of: (sample: Sample) => number,
    allowance: number,
    show: (value: number) => string,
  ): Row => {
    const [before, after] = [median(early.map(of)), median(late.map(of))];
    const peak = Math.max(...samples.map(of));
    return {
      what: `the same day: ${what} of the ${name}'s process in the last sixth against the second`,
      budget: `≤ ${GROWTH}x + ${show(allowance)}`,
      reached: `${show(after)} against ${show(before)}`,
      kept: after <= before * GROWTH + allowance,
      note: `medians of ${early.length} and ${late.length} samples; peak ${show(peak)}`,
    };
  };
  const mebibytes = (value: number) => `${(value / 1024 / 1024).toFixed(1)} MiB`;
  return [
    row("resident memory", ({ rss }) => rss, 4 * 1024 * 1024, mebibytes),
    row("live objects after garbage collection", ({ heapUsed }) => heapUsed, 2 * 1024 * 1024, mebibytes),
    row("open sockets", ({ sockets }) => sockets, 4, String),
    row("open descriptors", ({ descriptors }) => descriptors, 4, String),
  ];
}
