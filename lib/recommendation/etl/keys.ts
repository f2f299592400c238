import { etlRun, PREFIXES } from "../../core/naming/object-keys.ts";

const number = (value: number, digits: number) => String(value).padStart(digits, "0");

/** Keys of files that runs share: the events of each day, which are transformed once. */
export const sharedKeys = {
  /** Firehose writes by the hour of arrival, in UTC: `events/2025/02/28/13/…`. */
  events: (day: string) => `${PREFIXES.events}${day.replaceAll("-", "/")}/`,
  groups: (day: string) => `${PREFIXES.etlDays}${day}/`,
  /** The counts of a group. Written when the group is done. */
  group: (day: string, digest: string) => `${PREFIXES.etlDays}${day}/${digest}.json`,
  // The number of partitions is part of the key, so that a group with another one replaces no file of this one.
  rows: (group: string, of: number, partition: number) =>
    group.replace(/\.json$/, `-${number(partition, 4)}-of-${number(of, 4)}.parquet`),
  rejects: (group: string) => group.replace(/json$/, "rejects.jsonl"),
  /** All files of a group. */
  files: (group: string, of: number): string[] => [
    ...[group, sharedKeys.rejects(group)],
    ...Array.from({ length: of }, (_, partition) => sharedKeys.rows(group, of, partition)),
  ],
} as const;

/** Returns the keys of one run's files. The three dataset folders contain only files that Personalize imports. */
export function runKeys(run: string) {
  const root = etlRun(run);
  return {
    root,
    plan: `${root}plan/plan.json`,
    read: `${root}plan/read.json`,
    /** The items of the first map, which reads events and tables, and of the second, which writes shards. */
    reads: `${root}plan/reads.json`,
    shards: `${root}plan/shards.json`,
    shard: (shard: number) => `${root}results/shard-${number(shard, 5)}.parquet`,
    segment: (dataset: string, segment: number) => `${root}results/${dataset}-${number(segment, 4)}.json`,
    folder: (dataset: string) => `${root}${dataset}s/`,
    interactions: (shard: number) => `${root}interactions/${number(shard, 5)}.csv`,
    /** A file of a table, and the rejects of one, after `folder` and `rejects`. */
    part: (segment: number, part: number) => `${number(segment, 4)}-${number(part, 5)}`,
    rejects: (dataset: string) => `${root}rejects/${dataset}s-`,
    popularItems: `${root}popular-items.json`,
    manifest: `${root}manifest.json`,
  };
}
