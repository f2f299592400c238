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
 * Announces the hold, and blocks writes. If this returns that they are blocked, no write to the old index is in progress;
 * otherwise a shard has not answered in time. Blocks nothing and returns the `rival` if another run holds writes: of two
 * that announce a hold at least the later one sees the other. Throws RunFailure if another run has switched.
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

/** Returns the indexes that a name stands for. */
export async function behind(calls: RunCalls, name: string): Promise<string[]> {
  const answer = await calls.json(indices.getAlias({ index: name }), [404]);
  return answer.error === undefined ? Object.keys(answer) : [];
}

/** Throws RunFailure unless the name of a run stands for the given index alone, by default for the old one. */
export async function requirePlace(calls: RunCalls, { id, name, source }: RunRecord, index = source): Promise<void> {
  const found = await behind(calls, name);
  if (found.join() === index) return;
  throw new RunFailure(
    `${name} stands for ${found.join(", ") || "no index"}, and no longer for ${index} alone: another run has switched, or ` +
      `somebody has moved the alias. The run ${id} can only be cancelled`,
  );
}

/** Milliseconds after which a gateway lifts a block whose hold has ended, in place of a process that was killed. */
const GATEWAY_WAITS_MS = 1_500;

/**
 * Ends a hold and lifts the block. Returns whether a gateway has, or may have, done so: its call may still be on the way,
 * so the next hold must wait.
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
  // A cancelled run has no new index any more, and nobody else to lift the block.
  if (clusterError(answer).type === "index_not_found_exception") await unblock(calls, source);
  const ended = isMine || (await holdsOn(calls, source, target)).some(({ until }) => until === 0);
  if (ended) await liftBlock(calls, source, target);
  return !isMine || performance.now() - started > GATEWAY_WAITS_MS;
}

/** Ends the holds of a process that was killed. Returns whether there was any. */
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
 * Puts the new index in the place of the old one, in all aliases, by one call that the cluster executes as a whole or not
 * at all. Returns false if it did not, because the hold had ended.
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
  // Sent once: if its answer is lost, the aliases themselves tell.
  const answer = await calls.once(indices.updateAliases({ body: { actions } })).catch(() => undefined);
  if (answer?.status === 403) {
    const { reason } = clusterError(parseJson(answer.body));
    throw new RunFailure(`The aliases of ${source} may not be moved to ${target}: ${reason}`);
  }
  return hasSwitched(calls.unstopped, record);
}

/** Returns whether the new index has the name. A process may be killed before it can record that. */
export async function hasSwitched(calls: RunCalls, { target, name }: RunRecord): Promise<boolean> {
  return (await behind(calls, name)).includes(target);
}

/** Puts the old index back. Writes that the new one took since are lost to it. */
export async function switchBack(calls: RunCalls, record: RunRecord): Promise<void> {
  const { source, target } = record;
  await requirePlace(calls, record, target);
  const moved = await aliasesOf(calls, target);
  const actions = moved.flatMap((one): Action[] => [
    { remove: { index: target, alias: one.alias, must_exist: true } },
    { add: { index: source, ...one } },
  ]);
  await unblock(calls, source);
  // An alias is missing if the answer to an earlier attempt was lost.
  await aliases(calls, actions, [404]);
  await requirePlace(calls, record);
}

/** Applies changes of aliases, which may be repeated. */
export async function aliases(calls: RunCalls, actions: readonly Action[], accept?: readonly number[]): Promise<void> {
  await calls.json(indices.updateAliases({ body: { actions } }), accept);
}

export async function unblock(calls: RunCalls, index: string): Promise<void> {
  await calls.json(indices.putSettings({ index, body: { "index.blocks.write": null } }));
}

/** Returns the aliases of an index with their filters and routings. */
async function aliasesOf(calls: RunCalls, index: string): Promise<Array<{ alias: string }>> {
  const answer = await calls.json(indices.getAlias({ index }));
  const { aliases: found = {} } = (answer[index] ?? {}) as { aliases?: Record<string, object> };
  return Object.entries(found)
    .filter(([alias]) => !alias.startsWith("relevance-"))
    .map(([alias, properties]) => ({ alias, ...properties }));
}
