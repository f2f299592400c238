import type { Attack } from "../test/fixtures/attacks/attack.ts";
import { type Outcome, startSiege } from "../test/fixtures/attacks/siege.ts";
import { attackTable } from "../test/fixtures/attacks/table.ts";
import { startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, median, ms, type Row } from "./result.ts";

/** Ordinary requests to both services without an attack, for comparison. */
const CALM = 100;

/** Sends every attack of the table while a second client uses both services, and reports how long that one waits. */
export const attacksBenchmark: Benchmark = {
  name: "attacks",
  async run(): Promise<Row[]> {
    const cluster = await startCluster();
    const siege = await startSiege(cluster);
    try {
      const attacks = attackTable(siege.index, siege.ordinary);
      await siege.calm(CALM);
      const calm = await siege.calm(CALM);
      const outcomes: Array<{ attack: Attack; outcome: Outcome }> = [];
      for (const attack of attacks) outcomes.push({ attack, outcome: await siege.attack(attack) });
      const groups = Map.groupBy(outcomes, ({ attack }) => attack.group);
      return [...groups].map(([group, members]) => rowOf(group, members, calm));
    } finally {
      await siege.stop();
      await cluster.stop();
    }
  },
};

function rowOf(group: string, members: ReadonlyArray<{ attack: Attack; outcome: Outcome }>, calm: Outcome): Row {
  const wrong = members.filter(({ attack, outcome }) => outcome.status !== attack.status);
  const failures = members.flatMap(({ outcome }) => outcome.failures);
  const slowest = members.toSorted((a, b) => Math.max(...b.outcome.waits) - Math.max(...a.outcome.waits))[0];
  const waits = members.flatMap(({ outcome }) => outcome.waits);
  return {
    what: `attacks by ${group}: ${members.length}, and requests of others that fail meanwhile`,
    budget: "0",
    reached: `${failures.length} of ${waits.length}`,
    kept: failures.length === 0 && wrong.length === 0,
    note:
      `${members.length - wrong.length} of ${members.length} attacks got the documented status; others waited ` +
      `${ms(median(waits))} at p50, ${ms(Math.max(...waits))} at the most (${slowest?.attack.what}), without attacks ` +
      `${ms(median(calm.waits))} and ${ms(Math.max(...calm.waits))}; ${load()}`,
  };
}
