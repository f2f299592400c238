import * as assert from "uvu/assert";
import { clusterLoad, loadQuery } from "../../../../lib/search/scaler/load.ts";
import { suite } from "../../../suite.ts";

const test = suite("scaler: load");

test("queries 35 minutes up to the last complete period", () => {
  const { StartTime, EndTime, MetricDataQueries } = loadQuery(
    "books",
    "123456789012",
    new Date("2026-03-01T12:03:59Z"),
  );
  assert.equal([StartTime, EndTime], [new Date("2026-03-01T11:25:00Z"), new Date("2026-03-01T12:00:00Z")]);
  assert.equal(
    MetricDataQueries?.map(({ MetricStat }) => MetricStat?.Metric?.MetricName),
    ["CPUUtilization", "OldGenJVMMemoryPressure", "JVMMemoryPressure", "ClusterUsedSpace", "FreeStorageSpace"],
  );
});

test("reads the memory that remains after garbage collection, from the old generation if it is known", () => {
  const heap = { Id: "heap", Values: [62, 41, 70] };
  assert.is(clusterLoad([heap, { Id: "oldGeneration", Values: [30, 24, 28] }]).jvm, 24);
  assert.is(clusterLoad([heap, { Id: "oldGeneration", Values: [] }]).jvm, 41);
  assert.is(clusterLoad([]).jvm, undefined);
});

test("reads the newest disk values and all CPU values", () => {
  const results = [
    { Id: "cpu", Values: [10, 20] },
    { Id: "used", Values: [1_000, 2_000] },
    { Id: "free", Values: [9_000, 8_000] },
  ];
  const { cpu, usedMegabytes, freeMegabytesPerNode } = clusterLoad(results);
  assert.equal([cpu, usedMegabytes, freeMegabytesPerNode], [[10, 20], 2_000, 8_000]);
});

test.run();
