import { DomainProcessingStatusType } from "@aws-sdk/client-opensearch";
import * as assert from "uvu/assert";
import {
  clusterLoad,
  clusterState,
  type DescribedConfig,
  type DescribedDomain,
  loadQuery,
} from "../../../../lib/search/scaler/domain-state.ts";
import { suite } from "../../../suite.ts";

const test = suite("scaler: state of the domain");

const CREATED = new Date("2026-01-01T00:00:00Z");
const CHANGED = new Date("2026-03-01T10:00:00Z");
const DONE = new Date("2026-03-01T11:00:00Z");

const DOMAIN: DescribedDomain = {
  ClusterConfig: { InstanceCount: 4, ZoneAwarenessEnabled: true, ZoneAwarenessConfig: { AvailabilityZoneCount: 2 } },
  DomainProcessingStatus: "Active",
};

function config(UpdateDate = CREATED): DescribedConfig {
  return { ClusterConfig: { Options: {}, Status: { CreationDate: CREATED, UpdateDate, State: "Active" } } };
}

test("a quiet domain without changes is not busy and has no last change", () => {
  const expected = { instanceCount: 4, zones: 2, busy: undefined, lastChange: undefined };
  assert.equal(clusterState(DOMAIN, config()), expected);
});

test("the number of zones is the domain's own, two when it does not say, and one without zone awareness", () => {
  const zones = (ClusterConfig: DescribedDomain["ClusterConfig"]) =>
    clusterState({ ...DOMAIN, ClusterConfig }, config()).zones;
  const aware = { InstanceCount: 3, ZoneAwarenessEnabled: true };
  assert.is(zones({ ...aware, ZoneAwarenessConfig: { AvailabilityZoneCount: 3 } }), 3);
  assert.is(zones(aware), 2);
  assert.is(zones({ InstanceCount: 3, ZoneAwarenessConfig: { AvailabilityZoneCount: 3 } }), 1);
});

test("is busy in every status but Active", () => {
  const busy = (DomainProcessingStatus: DescribedDomain["DomainProcessingStatus"]) =>
    clusterState({ ...DOMAIN, DomainProcessingStatus }, config()).busy;
  const statuses = Object.values(DomainProcessingStatusType);
  assert.equal(
    statuses.filter((status) => busy(status) === undefined),
    ["Active"],
  );
  assert.is(busy("Modifying"), "Modifying");
});

test("the time of the last change is its end where that is known", () => {
  assert.equal(clusterState(DOMAIN, config(CHANGED)).lastChange, CHANGED);
  const done: DescribedDomain = { ...DOMAIN, ChangeProgressDetails: { LastUpdatedTime: DONE } };
  assert.equal(clusterState(done, config(CHANGED)).lastChange, DONE);
});

test("a domain that does not say how many nodes it has is an error", () => {
  assert.throws(() => clusterState({ ...DOMAIN, ClusterConfig: {} }, config()), /no number of data nodes/);
});

// Load

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
