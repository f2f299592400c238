import type { Deadline } from "../../core/resilience/deadline.ts";
import { jsonOf, readCall } from "./calls.ts";
import type { Cluster } from "./cluster.ts";

/** One shard of an index. */
export interface Shard {
  index: string;
  number: number;
}

type SearchShards = {
  shards: Array<Array<{ index: string; shard: number }>>;
};

/** Returns the shards that a search of an index expression asks, in the order in which the cluster merges them. */
export async function shardsOf(cluster: Cluster, expression: string, deadline: Deadline): Promise<Shard[]> {
  const path = `/${encodeURIComponent(expression)}/_search_shards`;
  const { shards } = jsonOf(await readCall(cluster, { method: "GET", path }, deadline)) as SearchShards;
  const found = shards.flatMap(([copy]) => (copy ? [{ index: copy.index, number: copy.shard }] : []));
  return found.sort((a, b) => a.number - b.number || (a.index < b.index ? -1 : 1));
}
