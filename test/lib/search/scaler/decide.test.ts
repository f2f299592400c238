import * as assert from "uvu/assert";
import {
  type ClusterLoad,
  type ClusterState,
  decide,
  type ScalingRules,
} from "../../../../lib/search/scaler/decide.ts";
import { suite } from "../../../suite.ts";

const test = suite("scaler: decisions");

const NOW = new Date("2026-03-01T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

const RULES: ScalingRules = { minCount: 2, maxCount: 8, scaleDownCpu: 30, scaleUpCpu: 70 };
const STATE: ClusterState = { instanceCount: 4, zones: 2, busy: undefined, lastChange: undefined };
/** 100 GB for each node, a quarter of it used; low JVM memory. */
const LOAD: ClusterLoad = {
  cpu: [50, 50, 50, 50, 50, 50],
  jvm: 30,
  usedMegabytes: 100_000,
  freeMegabytesPerNode: 75_000,
};
const BUSY = { cpu: [10, 10, 10, 71, 71, 71] };
const QUIET = { cpu: [29, 29, 29, 29, 29, 29] };

function decided(change: {
  rules?: Partial<ScalingRules>;
  state?: Partial<ClusterState>;
  load?: Partial<ClusterLoad>;
}) {
  return decide({ ...RULES, ...change.rules }, { ...STATE, ...change.state }, { ...LOAD, ...change.load }, NOW);
}

const changeOf = (change: Parameters<typeof decided>[0]) => {
  const { action, count } = decided(change);
  return [action, count];
};

test("stays while CPU is within its thresholds", () => {
  assert.equal(decided({}), { action: "stay", reason: "CPU is within its thresholds" });
});

test("adds a node for each of two zones", () => {
  assert.equal(decided({ load: BUSY }), {
    action: "scale-out",
    reason: "CPU was above 70 % for 15 minutes",
    count: 6,
  });
});

test("adds a node for each of three zones", () => {
  assert.equal(changeOf({ state: { instanceCount: 3, zones: 3 }, load: BUSY }), ["scale-out", 6]);
});

test("adds one node without zone awareness", () => {
  assert.equal(changeOf({ state: { zones: 1 }, load: BUSY }), ["scale-out", 5]);
});

test("scales to whole zones from a number of nodes that does not fill them", () => {
  assert.equal(changeOf({ state: { instanceCount: 5 }, load: BUSY }), ["scale-out", 6]);
  assert.equal(changeOf({ state: { instanceCount: 5 }, load: QUIET }), ["scale-in", 4]);
});

test("removes a node from each zone", () => {
  assert.equal(decided({ load: QUIET }), {
    action: "scale-in",
    reason: "CPU was below 30 % for 30 minutes",
    count: 2,
  });
  assert.equal(changeOf({ state: { instanceCount: 6, zones: 3 }, load: QUIET }), ["scale-in", 3]);
});

test("treats a value equal to a threshold as neither above nor below it", () => {
  assert.is(decided({ load: { cpu: [70, 70, 70] } }).action, "stay");
  assert.is(decided({ load: { cpu: [30, 30, 30, 30, 30, 30] } }).action, "stay");
});

test("stays when one value is within the thresholds", () => {
  assert.is(decided({ load: { cpu: [71, 71, 71, 71, 70, 71] } }).action, "stay");
  assert.is(decided({ load: { cpu: [29, 29, 31, 29, 29, 29] } }).action, "stay");
});

test("stays at the maximum, and says so", () => {
  assert.equal(decided({ state: { instanceCount: 8 }, load: BUSY }), {
    action: "stay",
    reason: "CPU was above 70 % for 15 minutes, but 8 nodes are the maximum",
    veto: "bounds",
  });
});

test("stays at the minimum, and says so", () => {
  assert.equal(decided({ state: { instanceCount: 2 }, load: QUIET }), {
    action: "stay",
    reason: "CPU was below 30 % for 30 minutes, but 2 nodes are the minimum",
    veto: "bounds",
  });
});

test("narrows the bounds to whole zones", () => {
  assert.is(decided({ rules: { maxCount: 5 }, load: BUSY }).action, "stay");
  assert.is(decided({ rules: { minCount: 3 }, load: QUIET }).action, "stay");
});

test("says when no whole number of zones is within the bounds", () => {
  const { action, reason } = decided({ rules: { minCount: 4, maxCount: 5 }, state: { zones: 3 }, load: BUSY });
  assert.equal([action, reason], ["stay", "no multiple of 3 zones is from 4 to 5 nodes"]);
});

test("scales to the bounds when they have changed", () => {
  assert.equal(changeOf({ rules: { minCount: 6 } }), ["scale-out", 6]);
  assert.equal(changeOf({ rules: { maxCount: 2 } }), ["scale-in", 2]);
});

test("stays while the domain is being changed", () => {
  assert.equal(decided({ state: { busy: "Modifying" }, load: BUSY }), {
    action: "stay",
    reason: "the domain is busy (Modifying)",
    veto: "busy",
  });
});

test("stays within half an hour of a change", () => {
  assert.equal(decided({ state: { lastChange: minutesAgo(29) }, load: BUSY }), {
    action: "stay",
    reason: "cool-down: the domain changed 29 minutes ago, less than 30",
    veto: "cool_down",
  });
  assert.is(decided({ state: { lastChange: minutesAgo(30) }, load: BUSY }).action, "scale-out");
});

test("scales in only when the disks of the remaining nodes stay below 70 %", () => {
  const full = (used: number) => ({ ...QUIET, usedMegabytes: used, freeMegabytesPerNode: 100_000 - used / 4 });
  assert.is(decided({ load: full(139_000) }).action, "scale-in");
  assert.equal(decided({ load: full(140_000) }), {
    action: "stay",
    reason: "CPU was below 30 % for 30 minutes, but the disks of 2 nodes would be 70.0 % full",
    veto: "disk",
  });
});

test("scales in only when the JVM memory of the remaining nodes stays below 75 %", () => {
  assert.is(decided({ load: { ...QUIET, jvm: 37 } }).action, "scale-in");
  assert.equal(decided({ load: { ...QUIET, jvm: 37.5 } }), {
    action: "stay",
    reason: "CPU was below 30 % for 30 minutes, but the JVM memory of 2 nodes would be at 75.0 %",
    veto: "memory",
  });
});

test("scales in to a lowered maximum only when the remaining nodes can hold the data", () => {
  assert.is(decided({ rules: { maxCount: 2 }, load: { jvm: 60 } }).action, "stay");
});

test("does not scale in without data about disk or memory", () => {
  for (const missing of [{ jvm: undefined }, { usedMegabytes: undefined }, { freeMegabytesPerNode: undefined }]) {
    assert.is(decided({ load: { ...QUIET, ...missing } }).action, "stay");
  }
});

test("scales out without data about disk or memory, but not without data about CPU", () => {
  assert.is(decided({ load: { ...BUSY, jvm: undefined, usedMegabytes: undefined } }).action, "scale-out");
  assert.equal(decided({ load: { cpu: [90, 90] } }), {
    action: "stay",
    reason: "there is too little data about CPU",
    veto: "cpu_data",
  });
});

test("removes nodes only with half an hour of data about CPU", () => {
  assert.equal(decided({ load: { cpu: [10, 10, 10, 10, 10] } }), {
    action: "stay",
    reason: "CPU was below 30 % for 25 minutes, and there is no older data about CPU",
    veto: "cpu_data",
  });
});

test.run();
