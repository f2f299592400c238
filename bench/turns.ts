import { median } from "./result.ts";

/** Times of one side, in milliseconds. */
export interface Timing {
  /** Median and 99th percentile of a call on the clock. */
  p50: number;
  p99: number;
  /** Processor time of this process per call, without the servers behind it. */
  cpu: number;
  /** Processor time of a call in each round, sorted. */
  cpuOfRounds: readonly number[];
}

export interface TurnsOptions {
  /** Measured calls of each side. */
  calls: number;
  /** Calls in flight. A function instance has one. */
  parallel: number;
  /** The sides take turns in this many rounds, the first of one round last in the next. */
  rounds?: number;
  /** Calls of each side before measuring. */
  warmUp?: number;
}

/**
 * Measures several sides in one process, taking turns, so that machine drift affects all of them. Processor time counts
 * every thread: garbage collection and compilation belong to a call as much as its own code. The servers must run in
 * other processes.
 */
export async function takeTurns<Side extends string>(
  sides: Readonly<Record<Side, (call: number) => Promise<unknown>>>,
  { calls, parallel, rounds = 20, warmUp = calls / 2 }: TurnsOptions,
): Promise<Record<Side, Timing>> {
  const names = Object.keys(sides) as Side[];
  const callsOfRound = Math.ceil(calls / rounds);
  for (const name of names) await run(sides[name], { from: 0, to: warmUp, parallel });
  const of = <T>(value: () => T) => Object.fromEntries(names.map((name) => [name, value()])) as Record<Side, T>;
  const wall = of((): number[] => []);
  const cpu = of((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const range = { from: round * callsOfRound, to: (round + 1) * callsOfRound, parallel };
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const before = process.cpuUsage();
      wall[name].push(...(await run(sides[name], range)));
      const { user, system } = process.cpuUsage(before);
      cpu[name].push((user + system) / 1_000 / callsOfRound);
    }
  }
  return Object.fromEntries(names.map((name) => [name, timing(wall[name], cpu[name])])) as Record<Side, Timing>;
}

/** Returns the value below which this share of the values is. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

interface Range {
  from: number;
  to: number;
  parallel: number;
}

async function run(work: (call: number) => Promise<unknown>, { from, to, parallel }: Range): Promise<number[]> {
  const times: number[] = [];
  let next = from;
  const worker = async () => {
    while (next < to) {
      const call = next++;
      const start = performance.now();
      await work(call);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return times;
}

function timing(wall: readonly number[], cpu: readonly number[]): Timing {
  return {
    p50: median(wall),
    p99: percentile(
      wall.toSorted((a, b) => a - b),
      0.99,
    ),
    cpu: cpu.reduce((sum, one) => sum + one, 0) / cpu.length,
    cpuOfRounds: cpu.toSorted((a, b) => a - b),
  };
}
