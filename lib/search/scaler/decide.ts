/** `opensearch.auto_scaling` of project.yaml. */
export interface ScalingRules {
  minCount: number;
  maxCount: number;
  /** Percent. */
  scaleDownCpu: number;
  /** Percent. */
  scaleUpCpu: number;
}

/** The state of the domain. */
export interface ClusterState {
  instanceCount: number;
  /** Availability zones of the data nodes; 1 without zone awareness. */
  zones: number;
  /** The domain's configuration status, such as "Modifying", while it accepts no change; undefined otherwise. */
  busy: string | undefined;
  /** When the last configuration change was made or completed; undefined if there was none. */
  lastChange: Date | undefined;
}

/** The load of the domain. Values without data in CloudWatch are undefined. */
export interface ClusterLoad {
  /** CPU of all nodes in percent, one value per five minutes, newest last. */
  cpu: readonly number[];
  /** Java heap of the fullest node that garbage collection does not free, in percent. */
  jvm: number | undefined;
  /** Megabytes of all indices in the cluster. */
  usedMegabytes: number | undefined;
  /** Average free megabytes per node. */
  freeMegabytesPerNode: number | undefined;
}

/** Decision. `count` is the new number of data nodes, if it changes; `veto` is the reason that prevents a change. */
export interface Decision {
  action: "scale-out" | "scale-in" | "stay";
  reason: string;
  count?: number;
  veto?: Veto;
}

/** Consecutive data points of five minutes that must agree: growing is urgent, shrinking is not. */
const POINTS_TO_GROW = 3;
const POINTS_TO_SHRINK = 6;

/** Upper limits in percent for the remaining nodes. */
const MAX_DISK = 70;
const MAX_JVM = 75;

/** Minutes between two changes. Shards that move to or from a node use CPU themselves. */
export const COOL_DOWN_MINUTES = 30;

/** Reasons that prevent a change, which docs/reference/alarms.md lists. The log line contains the name. */
export const VETOES = {
  busy: "the domain is busy: a configuration change, an upgrade, a software update or its deletion",
  cool_down: `its last change is less than ${COOL_DOWN_MINUTES} minutes ago, because moving shards needs CPU itself`,
  zones: "no number of nodes between the bounds is a multiple of the zones",
  bounds: "the number of nodes is at its bound",
  cpu_data: `CloudWatch has less than ${POINTS_TO_GROW * 5} minutes of CPU data, or, to remove nodes, less than ${POINTS_TO_SHRINK * 5}`,
  load_data: "CloudWatch has no data about disk or memory, which removing nodes needs",
  disk: `removing nodes would fill the disks of the others to ${MAX_DISK} % or more`,
  memory: `removing nodes would fill the Java heap of the others to ${MAX_JVM} % or more`,
} as const;

export type Veto = keyof typeof VETOES;

/**
 * Decides how many data nodes a cluster should have. Adds or removes one node per zone at a time, within the bounds, never
 * during another change, and removes nodes only if disk and memory of the others allow it.
 */
export function decide(rules: ScalingRules, state: ClusterState, load: ClusterLoad, now: Date): Decision {
  const { instanceCount, zones, busy, lastChange } = state;
  if (busy !== undefined) return veto("busy", `the domain is busy (${busy})`);
  const minutes = lastChange === undefined ? Number.POSITIVE_INFINITY : (now.getTime() - lastChange.getTime()) / 60_000;
  if (minutes < COOL_DOWN_MINUTES) {
    const ago = `the domain changed ${Math.floor(minutes)} minutes ago, less than ${COOL_DOWN_MINUTES}`;
    return veto("cool_down", `cool-down: ${ago}`);
  }
  const min = Math.ceil(rules.minCount / zones) * zones;
  const max = Math.floor(rules.maxCount / zones) * zones;
  if (min > max) {
    // `plan` refuses such limits, but the domain may get another zone later.
    return veto("zones", `no multiple of ${zones} zones is from ${rules.minCount} to ${rules.maxCount} nodes`);
  }
  if (instanceCount < min) return grow(min, `${instanceCount} nodes are below the minimum of ${min}`);
  if (instanceCount > max) return shrink(state, load, max, `${instanceCount} nodes are above the maximum of ${max}`);
  return byCpu(rules, state, load, { min, max });
}

function byCpu(
  rules: ScalingRules,
  state: ClusterState,
  load: ClusterLoad,
  bounds: { min: number; max: number },
): Decision {
  const { instanceCount, zones } = state;
  const highest = load.cpu.slice(-POINTS_TO_GROW);
  const lowest = load.cpu.slice(-POINTS_TO_SHRINK);
  if (highest.length < POINTS_TO_GROW) return veto("cpu_data", "there is too little data about CPU");
  if (highest.every((value) => value > rules.scaleUpCpu)) {
    const why = `CPU was above ${rules.scaleUpCpu} % for ${POINTS_TO_GROW * 5} minutes`;
    const next = (Math.floor(instanceCount / zones) + 1) * zones;
    return next <= bounds.max ? grow(next, why) : veto("bounds", `${why}, but ${instanceCount} nodes are the maximum`);
  }
  if (lowest.every((value) => value < rules.scaleDownCpu)) {
    const why = `CPU was below ${rules.scaleDownCpu} % for ${lowest.length * 5} minutes`;
    if (lowest.length < POINTS_TO_SHRINK) return veto("cpu_data", `${why}, and there is no older data about CPU`);
    const next = (Math.ceil(instanceCount / zones) - 1) * zones;
    if (next >= bounds.min) return shrink(state, load, next, why);
    return veto("bounds", `${why}, but ${instanceCount} nodes are the minimum`);
  }
  return { action: "stay", reason: "CPU is within its thresholds" };
}

/** Returns disk and memory use of `count` nodes in percent; undefined without data. */
export function loadAfter({ instanceCount }: ClusterState, load: ClusterLoad, count: number) {
  const { usedMegabytes, freeMegabytesPerNode, jvm } = load;
  const perNode =
    usedMegabytes === undefined || freeMegabytesPerNode === undefined
      ? undefined
      : usedMegabytes / instanceCount + freeMegabytesPerNode;
  return {
    disk: perNode ? (100 * (usedMegabytes ?? 0)) / (perNode * count) : undefined,
    // The same content is distributed over a different number of nodes.
    jvm: jvm === undefined ? undefined : (jvm * instanceCount) / count,
  };
}

function shrink(state: ClusterState, load: ClusterLoad, count: number, why: string): Decision {
  const { disk, jvm } = loadAfter(state, load, count);
  const but = (name: Veto, what: string) => veto(name, `${why}, but ${what}`);
  if (disk === undefined || jvm === undefined) return but("load_data", "there is no data about disk or JVM memory");
  if (disk >= MAX_DISK) return but("disk", `the disks of ${count} nodes would be ${disk.toFixed(1)} % full`);
  if (jvm >= MAX_JVM) return but("memory", `the JVM memory of ${count} nodes would be at ${jvm.toFixed(1)} %`);
  return { action: "scale-in", reason: why, count };
}

const grow = (count: number, reason: string): Decision => ({ action: "scale-out", reason, count });
const veto = (name: Veto, reason: string): Decision => ({ action: "stay", reason, veto: name });
