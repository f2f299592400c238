import * as v from "valibot";
import { Failure, rethrown, UsageError } from "../../lib/platform/failure.ts";
import { once } from "../../lib/platform/resilience/once.ts";
import { type BackfillFields, workOnBackfill } from "../../lib/search/index/backfill.ts";
import { workOnImport } from "../../lib/search/index/import/run.ts";
import type { OpenFile } from "../../lib/search/index/import/slices.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import type { BackfillRecord, ImportRecord } from "../../lib/search/index/rebuild/in-place-records.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { indices } from "../../lib/search/index/rebuild/requests.ts";
import { workOn } from "../../lib/search/index/rebuild/run.ts";
import { createRunCalls, type RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import type { RunRecord } from "../../lib/search/index/rebuild/run-record.ts";
import { behind } from "../../lib/search/index/rebuild/switch.ts";
import { readIndexMeta } from "../../lib/search/index-meta/index-meta.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";
import { entryFor } from "../../lib/search/resolve/entry-for.ts";
import type { HybridQuery } from "../../lib/settings/hybrid-search.ts";
import type { Gateway } from "../../packages/lab/gateway/gateway.ts";
import type { Context } from "../command.ts";
import { filled, number, option } from "../options.ts";
import type { Terminal } from "../terminal.ts";
import { type EmbeddedField, embeddingWriter, refuseDegraded, requireEmbedding } from "./embedding-writer.ts";
import { gatewayOptions } from "./gateway.ts";

/** Calls of one run at a time, at most, unless the user says how many. */
const MOST_CALLS = 8;

/** The options of commands that begin or resume a run. */
export const runOptions = {
  parallel: option(
    "--parallel <calls>",
    "calls of the run at a time, at most; with 1, an import with embeddings leaves models to searches",
    number(/^([1-9]|1\d|2\d|3[0-2])$/, "must be from 1 to 32"),
    { default: String(MOST_CALLS) },
  ),
  resume: option("--resume <run>", "resume a run", v.optional(filled("needs the id of a run"))),
  ...gatewayOptions,
};

/** Throws UsageError unless a run is either begun or resumed. */
export function requireOneRun({ index, resume }: { index?: string | undefined; resume?: string | undefined }): void {
  if ((index === undefined) === (resume === undefined)) throw new UsageError("Give either --index or --resume");
}

/** The longest that writes are held: below the 28 seconds of a gateway's request. */
const HOLD_MS = 20_000;

/** Returns the calls of a command through the gateway, which say why they wait. */
export const runCalls = ({ cluster }: Gateway, { terminal }: Context): RunCalls =>
  createRunCalls({ cluster, pace: createPace(MOST_CALLS), onTrouble: troubleOn(terminal) });

const troubleOn =
  (terminal: Terminal) =>
  (reason: string): void =>
    terminal.note(`Trying again: ${reason}`);

/** Returns the cluster as the calls of a run reach it. */
export const patientCluster = (calls: RunCalls): Cluster => ({ send: (request) => calls.send(request, [404]) });

/** Returns the entry of hybrid_search.yaml that the gateway uses for an index or alias; undefined if it has none. */
export const entryOf = (
  calls: RunCalls,
  entries: readonly HybridQuery[],
  name: string,
): Promise<HybridQuery | undefined> => reported(() => entryFor(patientCluster(calls), entries, name));

/** Returns what a name stands for, as the cluster says. */
export const standing = async (calls: RunCalls, name: string): Promise<string> =>
  (await reported(() => behind(calls, name))).join(" and ") || "no index";

/** Throws Failure unless the gateway embeds what hybrid_search.yaml says. */
export const requireEmbedded = (
  gateway: Gateway,
  context: Context,
  { name, mappings }: { name: string; mappings: readonly EmbeddedField[] },
): Promise<void> =>
  reported(() => requireEmbedding(runCalls({ ...gateway, cluster: gateway.api }, context), name, mappings));

/** Returns what the indexes that a name stands for say about their embeddings. */
export async function embeddingsOf(calls: RunCalls, name: string): Promise<EmbeddedField[]> {
  const answer = await calls.json(indices.get({ index: name, flat_settings: true }));
  return Object.values(answer as Record<string, { mappings?: { _meta?: unknown } }>).flatMap(({ mappings }) =>
    Object.entries(readIndexMeta(mappings?._meta)?.embeddings ?? {}).map(([embedding_field, { src_fields }]) => ({
      embedding_field,
      src_fields,
    })),
  );
}

/** Runs an operation of the engine and reports its failures as those of the command. */
export const reported = <T>(operation: () => Promise<T>): Promise<T> => rethrown(RunFailure, Failure, operation);

/** Works on a rebuild until it is done. Ctrl-C leaves it, to be resumed. */
export async function followRun(
  gateway: Gateway,
  { id, thenSwitch, most = MOST_CALLS }: { id: string; thenSwitch: boolean; most?: number },
  { terminal }: Context,
): Promise<RunRecord> {
  return untilLeft(terminal, `relevance index rebuild --resume ${id}`, (signal) => {
    const { calls, apiCalls } = callsOf(gateway, most, signal, terminal);
    const write = embeddingWriter(apiCalls);
    return workOn({
      calls,
      id,
      thenSwitch,
      holdMs: HOLD_MS,
      most,
      embeddingWriter(alias, index) {
        const writer = write(alias, refuseDegraded);
        const embeds = once(async () => requireEmbedding(apiCalls, alias, await embeddingsOf(calls, index)));
        return async (copies) => {
          await embeds();
          return writer(copies);
        };
      },
      onProgress: (record) => terminal.note(progressText(record)),
    });
  });
}

/** Works on an import until it is done. Ctrl-C leaves it, to be resumed. */
export async function followImport(
  gateway: Gateway,
  { id, open, maxRejected, most }: { id: string; open: OpenFile; maxRejected: number | undefined; most: number },
  { terminal }: Context,
): Promise<ImportRecord> {
  return untilLeft(terminal, `relevance index import --resume ${id}`, (signal) => {
    const { calls, apiCalls } = callsOf(gateway, most, signal, terminal);
    return workOnImport({
      calls,
      id,
      open,
      maxRejected,
      most,
      embeddingWriter: embeddingWriter(apiCalls),
      onProgress: (record) => terminal.note(importProgress(record)),
    });
  });
}

/** Works on a backfill until it is done. Ctrl-C leaves it, to be resumed. */
export async function followBackfill(
  gateway: Gateway,
  { id, most, ...fields }: BackfillFields & { id: string; most: number },
  { terminal }: Context,
): Promise<BackfillRecord> {
  return untilLeft(terminal, `relevance backfill --resume ${id}`, (signal) => {
    const { calls, apiCalls } = callsOf(gateway, most, signal, terminal);
    return workOnBackfill({
      ...fields,
      calls,
      id,
      most,
      embeddingWriter: embeddingWriter(apiCalls),
      onProgress: (record) => terminal.note(backfillProgress(record)),
    });
  });
}

/** Returns a run's clients for the cluster and for the gateway's own API, which share one rate limit. */
function callsOf(
  { cluster, api }: Gateway,
  most: number,
  signal: AbortSignal,
  terminal: Terminal,
): { calls: RunCalls; apiCalls: RunCalls } {
  const pace = createPace(most);
  const onTrouble = troubleOn(terminal);
  return {
    calls: createRunCalls({ cluster, pace, signal, onTrouble }),
    apiCalls: createRunCalls({ cluster: api, pace, signal, onTrouble }),
  };
}

async function untilLeft<T>(terminal: Terminal, resume: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const left = new AbortController();
  const leave = () => {
    terminal.note(`\nStopping. Resume the run with: ${resume}`);
    left.abort();
  };
  process.once("SIGINT", leave);
  try {
    return await reported(() => work(left.signal));
  } finally {
    process.off("SIGINT", leave);
  }
}

/** Returns one line about the progress of an import: how much content the counted documents are. */
export function importProgress({ next, files, bytes = 0, tally }: ImportRecord): string {
  const where = next.file < files ? `file ${next.file + 1} of ${files}` : `${files} files`;
  return `${where}, ${(bytes / 1e6).toFixed(1)} MB done; ${importTally({ tally })}`;
}

/** Returns one line about the progress of a backfill. */
export function backfillProgress({ shards, tally }: BackfillRecord): string {
  const share = shareOf(
    Object.values(shards),
    ({ done }) => done,
    ({ mark }) => mark,
  );
  return `${share}% done; ${importTally({ tally })}`;
}

/** Returns what an import or a backfill has done with documents. The sum of the last three is the first. */
export function importTally({ tally }: Pick<ImportRecord, "tally">): string {
  const { read, written, unchanged, rejected } = tally;
  return `${read} read, ${written} written, ${unchanged} unchanged, ${rejected} rejected`;
}

/** Returns one line about the progress of a run. */
export function progressText({ passes, shards, tally }: RunRecord): string {
  const states = Object.values(shards);
  const mark = (state: (typeof states)[number]) => state.mark;
  // What is done after a gap is that of the step in progress.
  const isCopied = (state: (typeof states)[number]) => state.copied >= state.mark;
  const copied = shareOf(states, (state) => state.copied + (isCopied(state) ? 0 : (state.ahead ?? 0)), mark);
  const verified = shareOf(states, (state) => state.verified + (isCopied(state) ? (state.ahead ?? 0) : 0), mark);
  return `pass ${passes + 1}: ${copied}% copied, ${verified}% verified; ${tallyText({ tally })}`;
}

/** Returns what a run has done with documents. The sum of the last three is the first. */
export function tallyText({ tally }: Pick<RunRecord, "tally">): string {
  return `${importTally({ tally })}; ${tally.deleted} deleted`;
}

/** Returns how many percent of the sequence numbers of all shards are done. */
function shareOf<One>(states: readonly One[], done: (one: One) => number, mark: (one: One) => number): number {
  const sum = (last: (one: One) => number) => states.reduce((total, one) => total + last(one) + 1, 0);
  return sum(mark) === 0 ? 100 : Math.floor((100 * sum(done)) / sum(mark));
}
