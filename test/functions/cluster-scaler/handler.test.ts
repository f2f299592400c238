import type { MetricDataResult } from "@aws-sdk/client-cloudwatch";
import * as assert from "uvu/assert";
import type { ClusterScalerEnv } from "../../../functions/cluster-scaler/env.ts";
import { type ClusterScalerClients, createHandler } from "../../../functions/cluster-scaler/handler.ts";
import type { DescribedDomain } from "../../../lib/search/scaler/domain-state.ts";
import { suite } from "../../suite.ts";

const test = suite("cluster-scaler: handler");

const ENV: ClusterScalerEnv = {
  DOMAIN_NAME: "books",
  ACCOUNT_ID: "123456789012",
  MIN_INSTANCE_COUNT: 2,
  MAX_INSTANCE_COUNT: 6,
  SCALE_DOWN_CPU_PERCENT: 30,
  SCALE_UP_CPU_PERCENT: 70,
};
const NOW = new Date("2026-03-01T12:03:20Z");
const CREATED = new Date("2026-01-01T00:00:00Z");

interface Case {
  env?: Partial<ClusterScalerEnv>;
  cpu?: number[];
  /** Values of other metrics, by their query. */
  metrics?: Record<string, number[]>;
  domain?: Partial<DescribedDomain>;
  update?: () => Promise<void>;
}

async function run({ env, cpu = [50, 50, 50, 50, 50, 50], metrics, domain = {}, update }: Case) {
  const counts: number[] = [];
  const lines: string[] = [];
  const values = { oldGeneration: [41, 33.33, 35], used: [90_000, 100_000], free: [80_000, 75_000], ...metrics };
  const results: MetricDataResult[] = Object.entries({ cpu, ...values }).map(([Id, Values]) => ({ Id, Values }));
  const clients: ClusterScalerClients = {
    describeDomain: async () => ({
      ClusterConfig: { InstanceCount: 4, ZoneAwarenessEnabled: true },
      ...domain,
    }),
    describeDomainConfig: async () => ({
      ClusterConfig: { Options: {}, Status: { CreationDate: CREATED, UpdateDate: CREATED, State: "Active" } },
    }),
    metrics: async ({ EndTime }) => (EndTime?.toISOString() === "2026-03-01T12:00:00.000Z" ? results : []),
    async setInstanceCount(_name, count) {
      await update?.();
      counts.push(count);
    },
    print: (line) => lines.push(line),
    now: () => NOW,
  };
  const outcome = await createHandler({ ...ENV, ...env }, clients)().catch((error: Error) => error.message);
  return { counts, lines: lines.map((line) => JSON.parse(line)), outcome };
}

const LINE = {
  level: "info",
  domain: "books",
  instances: 4,
  zones: 2,
  disk_percent: 25,
  jvm_percent: 33.3,
};

test("changes the number of nodes and writes one line", async () => {
  const { counts, lines } = await run({ cpu: [71, 72, 73.44] });
  assert.equal(counts, [6]);
  assert.equal(lines, [
    {
      ...LINE,
      decision: "scale-out",
      reason: "CPU was above 70 % for 15 minutes",
      new_instances: 6,
      cpu_percent: 73.4,
    },
  ]);
});

test("changes nothing and writes one line", async () => {
  const { counts, lines } = await run({});
  assert.equal(counts, []);
  assert.equal(lines, [{ ...LINE, decision: "stay", reason: "CPU is within its thresholds", cpu_percent: 50 }]);
});

test("a line about a domain that is left alone names the veto, whether its state or its load is the reason", async () => {
  const busy = await run({ cpu: [90, 90, 90], domain: { DomainProcessingStatus: "Modifying" } });
  const full = await run({ cpu: [10, 10, 10, 10, 10, 10], metrics: { oldGeneration: [40, 39] } });
  assert.equal([busy.counts, full.counts], [[], []]);
  const low = "CPU was below 30 % for 30 minutes, but the JVM memory of 2 nodes would be at 78.0 %";
  assert.equal(
    [busy, full].map(({ lines: [line] }) => [line.decision, line.veto, line.reason]),
    [
      ["stay", "busy", "the domain is busy (Modifying)"],
      ["stay", "memory", low],
    ],
  );
});

test("logs a refused change and fails, so that the alarm goes off", async () => {
  const update = async () => {
    throw new Error("a change is in progress");
  };
  const { lines, outcome } = await run({ cpu: [90, 90, 90], update });
  assert.is(outcome, "a change is in progress");
  assert.equal(
    lines.map(({ level, decision, error }) => [level, decision, error]),
    [["error", "scale-out", "Error: a change is in progress"]],
  );
});

test.run();
