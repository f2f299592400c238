import { faultCampaign } from "../test/fixtures/faults/campaign.ts";
import { startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, type Row } from "./result.ts";

/** The number of operations. For a short run: `FAULTS_OPERATIONS=60000 FAULTS_SEED=12 make bench ARGS=faults`. */
const OPERATIONS = Number(process.env.FAULTS_OPERATIONS ?? 500_000);
const SEED = Number(process.env.FAULTS_SEED ?? 11);

const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count.toLocaleString("en")}`)
    .join(", ");

/** Breaks the connections of the gateway in every way of the table, and counts answers that contradict what is stored. */
export const faultsBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const cluster = await startCluster();
    const start = performance.now();
    try {
      const report = await faultCampaign({
        cluster: { version: "2.19.6", url: cluster.url },
        seed: SEED,
        operations: OPERATIONS,
        batch: 5_000,
      });
      for (const violation of report.violations.slice(0, 20)) console.error(violation.slice(0, 500));
      const seconds = (performance.now() - start) / 1_000;
      const { none = 0, ...met } = report.faults;
      const faults = Object.values(met).reduce((sum, count) => sum + count, 0);
      return [
        {
          what: "faults between gateway, cluster and models: operations compared with the stored documents one by one",
          budget: `≥ ${OPERATIONS.toLocaleString("en")}`,
          reached: report.operations.toLocaleString("en"),
          kept: report.operations >= OPERATIONS,
          note: `${report.requests.toLocaleString("en")} requests in ${seconds.toFixed(0)} s; ${load()}`,
        },
        {
          what: "requests that met a fault",
          budget: "none",
          reached: faults.toLocaleString("en"),
          kept: undefined,
          note: `${listOf(met)}; without a fault ${none}`,
        },
        {
          what: "outcomes under faults",
          budget: "none",
          reached: listOf(report.verdicts),
          kept: undefined,
          note: "of each operation of a write, and of each read",
        },
        {
          what: "answers that contradict what is stored",
          budget: "0",
          reached: `${report.violations.length}`,
          kept: report.violations.length === 0,
          note: ["compared after every late body has arrived", ...report.violations.slice(0, 3)]
            .join("; ")
            .slice(0, 1_000),
        },
      ];
    } finally {
      await cluster.stop();
    }
  },
};
