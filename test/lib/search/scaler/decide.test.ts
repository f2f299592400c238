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

interface Change {
  rules?: Partial<ScalingRules>;
  state?: Partial<ClusterState>;
  load?: Partial<ClusterLoad>;
}

/** A cluster whose disks hold so many megabytes of 400,000. */
const filled = (used: number) => ({ ...QUIET, usedMegabytes: used, freeMegabytesPerNode: 100_000 - used / 4 });
const HIGH = "CPU was above 70 % for 15 minutes";
const LOW = "CPU was below 30 % for 30 minutes";
const OUT = { action: "scale-out" };
const IN = { action: "scale-in" };
const STAY = { action: "stay" };

const CASES: ReadonlyArray<[promise: string, change: Change, decision: object]> = [
  ["stays while CPU is within its thresholds", {}, { ...STAY, reason: "CPU is within its thresholds" }],
  ["adds a node for each of two zones", { load: BUSY }, { ...OUT, reason: HIGH, count: 6 }],
  ["adds a node for each of three zones", { state: { instanceCount: 3, zones: 3 }, load: BUSY }, { ...OUT, count: 6 }],
  ["adds one node without zone awareness", { state: { zones: 1 }, load: BUSY }, { ...OUT, count: 5 }],
  ["fills the zones when it adds nodes", { state: { instanceCount: 5 }, load: BUSY }, { ...OUT, count: 6 }],
  ["leaves full zones when it removes nodes", { state: { instanceCount: 5 }, load: QUIET }, { ...IN, count: 4 }],
  ["removes a node from each of two zones", { load: QUIET }, { ...IN, reason: LOW, count: 2 }],
  ["removes a node from each of three", { state: { instanceCount: 6, zones: 3 }, load: QUIET }, { ...IN, count: 3 }],
  ["stays at values that equal the upper threshold", { load: { cpu: [70, 70, 70] } }, STAY],
  ["stays at values that equal the lower threshold", { load: { cpu: [30, 30, 30, 30, 30, 30] } }, STAY],
  ["stays when one value is below the upper threshold", { load: { cpu: [71, 71, 71, 71, 70, 71] } }, STAY],
  ["stays when one value is above the lower threshold", { load: { cpu: [29, 29, 31, 29, 29, 29] } }, STAY],
  [
    "stays at the maximum, and says so",
    { state: { instanceCount: 8 }, load: BUSY },
    { ...STAY, reason: `${HIGH}, but 8 nodes are the maximum`, veto: "bounds" },
  ],
  [
    "stays at the minimum, and says so",
    { state: { instanceCount: 2 }, load: QUIET },
    { ...STAY, reason: `${LOW}, but 2 nodes are the minimum`, veto: "bounds" },
  ],
  ["narrows the maximum to whole zones", { rules: { maxCount: 5 }, load: BUSY }, STAY],
  ["narrows the minimum to whole zones", { rules: { minCount: 3 }, load: QUIET }, STAY],
  [
    "says when no whole number of zones is within the bounds",
    { rules: { minCount: 4, maxCount: 5 }, state: { zones: 3 }, load: BUSY },
    { ...STAY, reason: "no multiple of 3 zones is from 4 to 5 nodes", veto: "zones" },
  ],
  ["scales out to a raised minimum", { rules: { minCount: 6 } }, { ...OUT, count: 6 }],
  ["scales in to a lowered maximum", { rules: { maxCount: 2 } }, { ...IN, count: 2 }],
  ["stays above a maximum whose nodes cannot hold the data", { rules: { maxCount: 2 }, load: { jvm: 60 } }, STAY],
  [
    "stays while the domain is being changed",
    { state: { busy: "Modifying" }, load: BUSY },
    { ...STAY, reason: "the domain is busy (Modifying)", veto: "busy" },
  ],
  [
    "stays within half an hour of a change",
    { state: { lastChange: minutesAgo(29) }, load: BUSY },
    { ...STAY, reason: "cool-down: the domain changed 29 minutes ago, less than 30", veto: "cool_down" },
  ],
  ["scales half an hour after a change", { state: { lastChange: minutesAgo(30) }, load: BUSY }, OUT],
  ["scales in when the disks of the remaining nodes stay below 70 %", { load: filled(139_000) }, IN],
  [
    "stays when the disks of the remaining nodes would be 70 % full",
    { load: filled(140_000) },
    { ...STAY, reason: `${LOW}, but the disks of 2 nodes would be 70.0 % full`, veto: "disk" },
  ],
  ["scales in when the JVM memory of the remaining nodes stays below 75 %", { load: { ...QUIET, jvm: 37 } }, IN],
  [
    "stays when the JVM memory of the remaining nodes would be at 75 %",
    { load: { ...QUIET, jvm: 37.5 } },
    { ...STAY, reason: `${LOW}, but the JVM memory of 2 nodes would be at 75.0 %`, veto: "memory" },
  ],
  ...(["jvm", "usedMegabytes", "freeMegabytesPerNode"] as const).map((missing): [string, Change, object] => [
    `does not scale in without ${missing}`,
    { load: { ...QUIET, [missing]: undefined } },
    { ...STAY, reason: `${LOW}, but there is no data about disk or JVM memory`, veto: "load_data" },
  ]),
  [
    "scales out without data about disk or memory",
    { load: { ...BUSY, jvm: undefined, usedMegabytes: undefined } },
    OUT,
  ],
  [
    "stays without enough data about CPU",
    { load: { cpu: [90, 90] } },
    { ...STAY, reason: "there is too little data about CPU", veto: "cpu_data" },
  ],
  [
    "removes nodes only with half an hour of data about CPU",
    { load: { cpu: [10, 10, 10, 10, 10] } },
    { ...STAY, reason: "CPU was below 30 % for 25 minutes, and there is no older data about CPU", veto: "cpu_data" },
  ],
];

for (const [promise, { rules, state, load }, decision] of CASES) {
  test(promise, () => {
    const decided = decide({ ...RULES, ...rules }, { ...STATE, ...state }, { ...LOAD, ...load }, NOW);
    // A row with a reason has the whole decision, and any other the members that it is about.
    assert.equal(decided, "reason" in decision ? decision : { ...decided, ...decision });
  });
}

test.run();
