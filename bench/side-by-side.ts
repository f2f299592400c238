/** Times of one side, in milliseconds per call. */
export interface Timing {
  p50: number;
  p99: number;
  calls: number;
  /** Processor time of this process per call, without the servers behind it. */
  cpu: number;
}

export interface Comparison {
  ours: Timing;
  theirs: Timing;
  /** Ours over theirs. */
  ratio: { p50: number; p99: number };
}

export interface ComparisonOptions {
  /** Measured calls of each side. */
  calls: number;
  /** Calls in flight. */
  parallel: number;
  /** Calls of each side before measuring. */
  warmUp?: number;
  /** The sides take turns in this many rounds, so that machine drift affects both. */
  rounds?: number;
}

/** Measures two sides in one process, taking turns: A B B A A B …. */
export async function sideBySide(
  ours: (call: number) => Promise<unknown>,
  theirs: (call: number) => Promise<unknown>,
  { calls, parallel, warmUp = calls / 4, rounds = 10 }: ComparisonOptions,
): Promise<Comparison> {
  await run(theirs, warmUp, parallel);
  await run(ours, warmUp, parallel);
  const times = { ours: [] as number[], theirs: [] as number[] };
  const cpu = { ours: 0, theirs: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (["theirs", "ours"] as const) : (["ours", "theirs"] as const);
    for (const side of order) {
      const before = process.cpuUsage();
      times[side].push(...(await run(side === "ours" ? ours : theirs, Math.ceil(calls / rounds), parallel)));
      const { user, system } = process.cpuUsage(before);
      cpu[side] += (user + system) / 1_000;
    }
  }
  const result = { ours: timing(times.ours, cpu.ours), theirs: timing(times.theirs, cpu.theirs) };
  return {
    ...result,
    ratio: { p50: result.ours.p50 / result.theirs.p50, p99: result.ours.p99 / result.theirs.p99 },
  };
}

async function run(work: (call: number) => Promise<unknown>, calls: number, parallel: number): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const call = next++;
      const start = performance.now();
      await work(call);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return times;
}

function timing(times: readonly number[], cpu: number): Timing {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), calls: sorted.length, cpu: cpu / sorted.length };
}
