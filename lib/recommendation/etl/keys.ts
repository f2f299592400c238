import { etlRun, PREFIXES } from "../../core/naming/object-keys.ts";

const number = (value: number, digits: number) => String(value).padStart(digits, "0");

/** Keys of files that runs share: the events of each day, which are transformed once. */
export const sharedKeys = {
  /** Firehose writes by the hour of arrival, in UTC: `events/2025/02/28/13/…`. */
  events: (day: string) => `${PREFIXES.events}${day.replaceAll("-", "/")}/`,
  /** Records which objects a day's groups cover. Written when all of the groups are done. */
  marker: (day: string) => `${PREFIXES.etlDays}${day}.json`,
  groups: (day: string) => `${PREFIXES.etlDays}${day}/`,
  /** The counts and files of a group. Written when the group is done. */
  group: (day: string, digest: string) => `${PREFIXES.etlDays}${day}/${digest}.json`,
  groupError: (day: string, digest: string) => `${PREFIXES.etlDays}${day}/${digest}.error.json`,
  rows: (day: string, digest: string, index: number) =>
    `${PREFIXES.etlDays}${day}/${digest}-${number(index, 4)}.parquet`,
  rejects: (day: string, digest: string) => `${PREFIXES.etlDays}${day}/${digest}.rejects.jsonl`,
} as const;

/** Returns the keys of one run's files. The three dataset folders contain only files that Personalize imports. */
export function runKeys(run: string) {
  const root = etlRun(run);
  return {
    root,
    settings: `${root}plan/settings.json`,
    days: `${root}plan/days.json`,
    groups: `${root}plan/groups.json`,
    partitions: `${root}plan/partitions.json`,
    shards: `${root}plan/shards.json`,
    scans: `${root}plan/scans.json`,
    shardResult: (shard: number) => `${root}results/shard-${number(shard, 5)}.json`,
    shardError: (shard: number) => `${root}results/shard-${number(shard, 5)}.error.json`,
    scanResult: (dataset: string, segment: number, part: number) =>
      `${root}results/${dataset}-${number(segment, 4)}-${number(part, 5)}.json`,
    scanError: (dataset: string, segment: number) => `${root}results/${dataset}-${number(segment, 4)}.error.json`,
    folder: (dataset: string) => `${root}${dataset}s/`,
    interactions: (shard: number) => `${root}interactions/${number(shard, 5)}.csv`,
    table: (dataset: string, segment: number, part: number) =>
      `${root}${dataset}s/${number(segment, 4)}-${number(part, 5)}.csv`,
    tableRejects: (dataset: string, segment: number, part: number) =>
      `${root}rejects/${dataset}s-${number(segment, 4)}-${number(part, 5)}.jsonl`,
    popularItems: `${root}popular-items.json`,
    manifest: `${root}manifest.json`,
  };
}
