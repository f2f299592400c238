import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { type Hold, holdAlias, holdOf, holdPattern } from "../index-meta/index-meta.ts";
import { clusterError, readCall } from "../opensearch/calls.ts";
import type { Cluster, ClusterAnswer, ClusterRequest } from "../opensearch/cluster.ts";
import { indices } from "../opensearch/requests.ts";

/** Polling interval (ms) while writes are blocked. */
const LOOK_MS = 200;

/** Milliseconds reserved for the write itself. */
const WRITE_MS = 2_500;

/** Grace period (ms) after a write block's expiry. Then this instance removes it for the rebuild that set it. */
const RELEASE_MS = 2_000;

/** The cluster's error for an index with a write block; "moving to block index write" until no write is in progress. */
const BLOCKED = /^index \[([^\]]+)\] blocked by: \[FORBIDDEN\/8\//;

/** Returns the index whose write block caused an error; undefined for other errors. */
export function blockedIndex({ type, reason }: { type: string; reason: string }): string | undefined {
  return type === "cluster_block_exception" ? BLOCKED.exec(reason)?.[1] : undefined;
}

/** Returns the index whose write block refused a whole call, as its status shows, or each item of a `_bulk` answer. */
export function wholeCallBlocked({ status, body }: ClusterAnswer): string | undefined {
  if (status === 403) return blockedIndex(clusterError(parseJson(body)));
  // The error type of an item. Answers without this text are not parsed.
  if (status !== 200 || !body.includes("cluster_block_exception")) return undefined;
  const { items } = (parseJson(body) ?? {}) as { items?: unknown };
  if (!Array.isArray(items)) return undefined;
  const indexes = items.map((item: unknown) => {
    const [result] = isObject(item) ? Object.values(item) : [];
    return isObject(result) && isObject(result.error) ? blockedIndex(result.error as never) : undefined;
  });
  const [first] = indexes;
  return indexes.every((index) => index !== undefined) ? first : undefined;
}

/** Waits for the end of a rebuild's last step, which blocks writes to the old index for some seconds. */
export interface HeldWrites {
  /**
   * Returns whether to resend a write that a write block refused: after the rebuild has lifted the block, or once if
   * there is none, because it may just have ended.
   */
  retry(index: string): Promise<boolean>;
}

export interface HeldWritesOptions {
  cluster: Cluster;
  deadline: Deadline;
  /** Replaced in tests so that nothing sleeps. */
  wait?: ((ms: number) => Promise<unknown>) | undefined;
  now?: () => number;
}

/** Returns the retry logic for one request's writes during a rebuild. */
export function heldWrites({ cluster, deadline, wait = sleep, now = Date.now }: HeldWritesOptions): HeldWrites {
  let retriedWithout = false;

  const find = async (index: string): Promise<(Hold & { target: string }) | undefined> => {
    const answer = await readCall(cluster, indices.getAlias({ name: holdPattern(index) }), deadline);
    const found = answer.status === 200 ? parseJson(answer.body) : {};
    for (const [target, described] of Object.entries(isObject(found) ? found : {})) {
      const { aliases } = described as { aliases?: object };
      const hold = Object.keys(aliases ?? {}).flatMap((alias) => holdOf(alias, index) ?? [])[0];
      if (hold) return { ...hold, target };
    }
    return undefined;
  };

  const send = (request: ClusterRequest) => cluster.send(request, Math.max(1, deadline.remaining()));

  const change = (actions: object[]) => send(indices.updateAliases({ body: { actions } }));

  /** Ends the write block of a rebuild that died. First prevents the rebuild from switching, then lifts the block. */
  const release = async (index: string, { alias, until, target }: Hold & { target: string }): Promise<void> => {
    const ended = holdAlias(index, 0);
    if (until !== 0) {
      const swap = [{ remove: { index: target, alias, must_exist: true } }, { add: { index: target, alias: ended } }];
      if ((await change(swap)).status !== 200) return;
    }
    const unblock = indices.putSettings({ index, body: { "index.blocks.write": null } });
    if ((await send(unblock)).status !== 200) return;
    await change([{ remove: { index: target, alias: ended } }]);
  };

  const watch = async (index: string): Promise<boolean> => {
    let endedFor = 0;
    for (let looked = 0; deadline.remaining() > WRITE_MS; looked += 1) {
      const hold = await find(index);
      if (!hold) {
        if (looked === 0 && retriedWithout) return false;
        retriedWithout = looked === 0;
        return true;
      }
      endedFor = hold.until === 0 ? endedFor + LOOK_MS : 0;
      if (hold.until === 0 ? endedFor > RELEASE_MS : now() > hold.until) await release(index, hold);
      await wait(LOOK_MS);
    }
    return false;
  };

  // If the rebuild's state cannot be read, the refusal of the write stands.
  return { retry: (index) => watch(index).catch(() => false) };
}
