import { parseJson } from "../../../platform/json/values.ts";
import { type Hold, holdAlias, holdOf, holdPattern } from "../../index-meta/index-meta.ts";
import { targetAlias } from "../../index-meta/run-names.ts";
import { clusterError } from "../../opensearch/calls.ts";
import { RunFailure } from "./failure.ts";
import { indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";
import type { RunRecord } from "./run-record.ts";

/** An action of `POST /_aliases`. */
type Action = Record<string, Record<string, unknown>>;

/**
 * Announces a hold by its alias, and blocks writes. `blocked`: no write to the old index is in progress; otherwise a
 * shard has not answered in time. If another run also holds writes, blocks nothing and returns this `rival`: of two
 * concurrent announcements, at least the later one sees the other. Throws RunFailure if another run has switched.
 */
export async function holdWrites(
  calls: RunCalls,
  record: RunRecord,
  until: number,
): Promise<{ hold: Hold; blocked: boolean } | { rival: string }> {
  const { source, target } = record;
  const alias = holdAlias(source, until);
  await aliases(calls, [{ add: { index: target, alias } }]);
  const withdraw = () => aliases(calls.unstopped, [{ remove: { index: target, alias } }], [404]);
  try {
    await requirePlace(calls, record);
    const holding = Object.keys(await calls.json(indices.getAlias({ name: holdPattern(source) })));
    const rival = holding.find((index) => index !== target);
    if (rival !== undefined) {
      await withdraw();
      return { rival };
    }
  } catch (error) {
    await withdraw();
    throw error;
  }
  const answer = await calls.json(indices.addBlock({ index: source, block: "write" }));
  return { hold: { alias, until }, blocked: answer.shards_acknowledged === true };
}

/** Returns the indexes behind a name. */
export async function behind(calls: RunCalls, name: string): Promise<string[]> {
  const answer = await calls.json(indices.getAlias({ index: name }), [404]);
  return answer.error === undefined ? Object.keys(answer) : [];
}

/** Throws RunFailure unless the run's name stands for exactly the given index, by default the old one. */
export async function requirePlace(calls: RunCalls, { id, name, source }: RunRecord, index = source): Promise<void> {
  const found = await behind(calls, name);
  if (found.join() === index) return;
  throw new RunFailure(
    `${name} stands for ${found.join(", ") || "no index"}, and no longer for ${index} alone: another run has switched, or ` +
      `somebody has moved the alias. The run ${id} can only be cancelled`,
  );
}

/** Milliseconds after a hold's expiry at which a gateway lifts the block of a process that was killed. */
const GATEWAY_WAITS_MS = 1_500;

/**
 * Ends a hold and lifts the block. Returns whether a gateway has done so, or may have. Its call may still be in
 * progress, so the next hold must wait.
 */
export async function releaseWrites(
  calls: RunCalls,
  { source, target }: Pick<RunRecord, "source" | "target">,
  { alias }: Hold,
): Promise<boolean> {
  const started = performance.now();
  const actions = [
    { remove: { index: target, alias, must_exist: true } },
    { add: { index: target, alias: holdAlias(source, 0) } },
  ];
  const answer = await calls.json(indices.updateAliases({ body: { actions } }), [404]);
  const isMine = answer.error === undefined;
  // A cancelled run has no new index any more, so only this process can lift the block.
  if (clusterError(answer).type === "index_not_found_exception") await unblock(calls, source);
  const ended = isMine || (await holdsOn(calls, source, target)).some(({ until }) => until === 0);
  if (ended) await liftBlock(calls, source, target);
  return !isMine || performance.now() - started > GATEWAY_WAITS_MS;
}

/** Ends the holds of a killed process. Returns whether there was one. */
export async function releaseLeftHolds(calls: RunCalls, { source, target }: RunRecord): Promise<boolean> {
  const holds = await holdsOn(calls, source, target);
  for (const hold of holds) {
    if (hold.until === 0) await liftBlock(calls, source, target);
    else await releaseWrites(calls, { source, target }, hold);
  }
  return holds.length > 0;
}

async function liftBlock(calls: RunCalls, source: string, target: string): Promise<void> {
  await unblock(calls, source);
  await aliases(calls, [{ remove: { index: target, alias: holdAlias(source, 0) } }], [404]);
}

async function holdsOn(calls: RunCalls, source: string, target: string): Promise<Hold[]> {
  const answer = await calls.json(indices.getAlias({ name: holdPattern(source) }), [404]);
  const { aliases: found = {} } = (answer[target] ?? {}) as { aliases?: Record<string, unknown> };
  return Object.keys(found).flatMap((alias) => holdOf(alias, source) ?? []);
}

/**
 * Switches all aliases from the old index to the new one in one atomic call. Returns false if the cluster refused it
 * because the hold had ended.
 */
export async function switchAliases(calls: RunCalls, record: RunRecord, { alias }: Hold): Promise<boolean> {
  const { source, target, name } = record;
  const moved = await aliasesOf(calls, source);
  const replaced: Action[] =
    name === source
      ? [{ remove_index: { index: source } }, { add: { index: target, alias: name } }]
      : [...new Set([name, ...moved.map((one) => one.alias)])].map((one) => ({
          remove: { index: source, alias: one, must_exist: true },
        }));
  const actions: Action[] = [
    { remove: { index: target, alias, must_exist: true } },
    { remove: { index: target, alias: targetAlias(record), must_exist: true } },
    ...replaced,
    ...moved.map((one) => ({ add: { index: target, ...one } })),
  ];
  // Sent once: if its answer is lost, the aliases are read.
  const answer = await calls.once(indices.updateAliases({ body: { actions } })).catch(() => undefined);
  if (answer?.status === 403) {
    const { reason } = clusterError(parseJson(answer.body));
    throw new RunFailure(`The aliases of ${source} may not be moved to ${target}: ${reason}`);
  }
  return hasSwitched(calls.unstopped, record);
}

/** Returns whether the name stands for the new index. A killed process may not have recorded its switch. */
export async function hasSwitched(calls: RunCalls, { target, name }: RunRecord): Promise<boolean> {
  return (await behind(calls, name)).includes(target);
}

/** Switches back to the old index. It lacks the writes that the new one has received since. */
export async function switchBack(calls: RunCalls, record: RunRecord): Promise<void> {
  const { source, target } = record;
  await requirePlace(calls, record, target);
  const moved = await aliasesOf(calls, target);
  const actions = moved.flatMap((one): Action[] => [
    { remove: { index: target, alias: one.alias, must_exist: true } },
    { add: { index: source, ...one } },
  ]);
  await unblock(calls, source);
  // An alias is missing if an earlier attempt succeeded without an answer.
  await aliases(calls, actions, [404]);
  await requirePlace(calls, record);
}

/** Applies changes of aliases, which are safe to repeat. */
export async function aliases(calls: RunCalls, actions: readonly Action[], accept?: readonly number[]): Promise<void> {
  await calls.json(indices.updateAliases({ body: { actions } }), accept);
}

export async function unblock(calls: RunCalls, index: string): Promise<void> {
  await calls.json(indices.putSettings({ index, body: { "index.blocks.write": null } }));
}

/** Returns the aliases of an index with their filters and routing. */
async function aliasesOf(calls: RunCalls, index: string): Promise<Array<{ alias: string }>> {
  const answer = await calls.json(indices.getAlias({ index }));
  const { aliases: found = {} } = (answer[index] ?? {}) as { aliases?: Record<string, object> };
  return Object.entries(found)
    .filter(([alias]) => !alias.startsWith("relevance-"))
    .map(([alias, properties]) => ({ alias, ...properties }));
}
