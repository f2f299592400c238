/** Milliseconds of processor time a call, of every side, in the order of the sides. */
export type ProcessorTimes<Side extends string> = Readonly<Record<Side, number>>;

export interface TurnsOptions {
  /** Measured calls of each side. */
  calls: number;
  /** Calls in flight. A function instance has one. */
  parallel: number;
  /** The sides take turns in this many rounds, the first of one round last in the next. */
  rounds?: number;
}

/**
 * Measures the processor time of several sides in one process, taking turns. It counts every thread: garbage collection
 * and compilation belong to a call as much as its own code. The servers must run in other processes.
 */
export async function takeTurns<Side extends string>(
  sides: Readonly<Record<Side, (call: number) => Promise<unknown>>>,
  { calls, parallel, rounds = 20 }: TurnsOptions,
): Promise<ProcessorTimes<Side>> {
  const names = Object.keys(sides) as Side[];
  const ofRound = Math.ceil(calls / rounds);
  for (const name of names) await run(sides[name], calls / 2, parallel);
  const total = Object.fromEntries(names.map((name) => [name, 0])) as Record<Side, number>;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const before = process.cpuUsage();
      await run(sides[name], ofRound, parallel);
      const { user, system } = process.cpuUsage(before);
      total[name] += (user + system) / 1_000;
    }
  }
  return Object.fromEntries(names.map((name) => [name, total[name] / (ofRound * rounds)])) as Record<Side, number>;
}

async function run(work: (call: number) => Promise<unknown>, calls: number, parallel: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < calls) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
