/** `opensearch.auto_scaling` of project.yaml. */
export interface ScalingRules {
  minCount: number;
  maxCount: number;
  /** Percent. */
  scaleDownCpu: number;
  /** Percent. */
  scaleUpCpu: number;
}

/** The domain as it is. */
export interface ClusterState {
  instanceCount: number;
  /** Zones that data nodes are spread over; 1 without zone awareness. */
  zones: number;
  /** Why the domain takes no change now, as in "a configuration change"; undefined when it does. */
  busyWith: string | undefined;
  /** When its configuration was last changed, or that change was done; undefined when never. */
  lastChange: Date | undefined;
}

/** Its load. What CloudWatch has no data of is undefined. */
export interface ClusterLoad {
  /** CPU of all nodes, in percent, a value for each five minutes, newest last. */
  cpu: readonly number[];
  /** Highest JVM memory pressure of a node, in percent. */
  jvm: number | undefined;
  /** Megabytes that indices take in the whole cluster. */
  usedMegabytes: number | undefined;
  /** Megabytes that are free on a node, on average. */
  freeMegabytesPerNode: number | undefined;
}

/** What to do. `count` is there when the cluster is to be changed. */
export interface Decision {
  action: "scale-out" | "scale-in" | "stay";
  reason: string;
  count?: number;
}

/** Data points of five minutes that must agree: growing is urgent, shrinking is not. */
const POINTS_TO_GROW = 3;
const POINTS_TO_SHRINK = 6;

/** Shares in percent that the remaining nodes keep below. */
const MAX_DISK = 70;
const MAX_JVM = 75;

/** From one change to the next. Nodes that came or went move shards about, which takes CPU by itself. */
export const COOL_DOWN_MINUTES = 30;

/**
 * How many data nodes a cluster should have: one node per zone more or less at a time, within the bounds, never while it
 * is changed, and fewer only when disk and memory of the rest allow it.
 */
export function decide(rules: ScalingRules, state: ClusterState, load: ClusterLoad, now: Date): Decision {
  const { instanceCount, zones, busyWith, lastChange } = state;
  if (busyWith !== undefined) return stay(`the domain is busy with ${busyWith}`);
  const minutes = lastChange === undefined ? Number.POSITIVE_INFINITY : (now.getTime() - lastChange.getTime()) / 60_000;
  if (minutes < COOL_DOWN_MINUTES) {
    return stay(`cool-down: the domain changed ${Math.floor(minutes)} minutes ago, ${COOL_DOWN_MINUTES} are waited`);
  }
  const min = Math.ceil(rules.minCount / zones) * zones;
  const max = Math.floor(rules.maxCount / zones) * zones;
  if (min > max) {
    return stay(`no multiple of ${zones} zones is from ${rules.minCount} to ${rules.maxCount} nodes`);
  }
  if (instanceCount < min) return grow(min, `${instanceCount} nodes are below the minimum of ${min}`);
  if (instanceCount > max) return shrink(state, load, max, `${instanceCount} nodes are above the maximum of ${max}`);
  return byCpu(rules, state, load, { min, max });
}

function byCpu(rules: ScalingRules, state: ClusterState, load: ClusterLoad, bounds: { min: number; max: number }) {
  const { instanceCount, zones } = state;
  const highest = load.cpu.slice(-POINTS_TO_GROW);
  const lowest = load.cpu.slice(-POINTS_TO_SHRINK);
  if (highest.length < POINTS_TO_GROW) return stay("there is too little data about CPU");
  if (highest.every((value) => value > rules.scaleUpCpu)) {
    const why = `CPU was above ${rules.scaleUpCpu} % for ${POINTS_TO_GROW * 5} minutes`;
    const next = (Math.floor(instanceCount / zones) + 1) * zones;
    return next <= bounds.max ? grow(next, why) : stay(`${why}, but ${instanceCount} nodes are the maximum`);
  }
  if (lowest.length === POINTS_TO_SHRINK && lowest.every((value) => value < rules.scaleDownCpu)) {
    const why = `CPU was below ${rules.scaleDownCpu} % for ${POINTS_TO_SHRINK * 5} minutes`;
    const next = (Math.ceil(instanceCount / zones) - 1) * zones;
    if (next >= bounds.min) return shrink(state, load, next, why);
    return stay(`${why}, but ${instanceCount} nodes are the minimum`);
  }
  return stay("CPU is within its thresholds");
}

/** What disk and memory of `count` nodes would be; undefined where there is no data. */
export function loadAfter({ instanceCount }: ClusterState, load: ClusterLoad, count: number) {
  const { usedMegabytes, freeMegabytesPerNode, jvm } = load;
  const perNode =
    usedMegabytes === undefined || freeMegabytesPerNode === undefined
      ? undefined
      : usedMegabytes / instanceCount + freeMegabytesPerNode;
  return {
    disk: perNode ? (100 * (usedMegabytes ?? 0)) / (perNode * count) : undefined,
    // What the nodes hold in memory is spread over fewer of them.
    jvm: jvm === undefined ? undefined : (jvm * instanceCount) / count,
  };
}

function shrink(state: ClusterState, load: ClusterLoad, count: number, why: string): Decision {
  const { disk, jvm } = loadAfter(state, load, count);
  if (disk === undefined || jvm === undefined) return stay(`${why}, but there is no data about disk or JVM memory`);
  if (disk >= MAX_DISK) return stay(`${why}, but the disks of ${count} nodes would be ${disk.toFixed(1)} % full`);
  if (jvm >= MAX_JVM) return stay(`${why}, but the JVM memory of ${count} nodes would be at ${jvm.toFixed(1)} %`);
  return { action: "scale-in", reason: why, count };
}

const grow = (count: number, reason: string): Decision => ({ action: "scale-out", reason, count });
const stay = (reason: string): Decision => ({ action: "stay", reason });
