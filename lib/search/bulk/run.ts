import { setTimeout as sleep } from "node:timers/promises";
import type { ApiError } from "../../platform/http/error.ts";
import type { Reply } from "../../platform/http/event.ts";
import type { ApiOptions } from "../../platform/http/middleware.ts";
import { backoff, MAX_ATTEMPTS } from "../../platform/resilience/deadline.ts";
import { degradedMetric } from "../../platform/telemetry/emf.ts";
import { requireIndex } from "../access/names.ts";
import { requireTemplate } from "../access/templates.ts";
import { heldWrites } from "../gateway/held-writes.ts";
import type { SourceTools } from "../gateway/tools.ts";
import { writtenName } from "../index-meta/run-names.ts";
import {
  answerText,
  type DegradedWrite,
  degradationsOf,
  echoOf,
  outcomeUnknown,
  requireFittingAnswer,
} from "./answer.ts";
import { chunksOf, type Draft } from "./draft.ts";
import { needsOf } from "./needs.ts";
import { type BulkCall, documentsIn, type Operation } from "./operations.ts";
import { changedByPipeline } from "./piped.ts";
import { type Preparation, type Prepared, prepare, prepareFromStored, textsOf, usesOf } from "./prepare.ts";
import { type Followed, fateOf, isHeld, OF_ANOTHER_MODEL } from "./replaced.ts";
import {
  EARLIER_FAILED,
  EARLIER_UNPROVEN,
  failedItem,
  type ItemError,
  type ItemResult,
  itemErrorOf,
  nothingWritten,
} from "./send.ts";
import { type Settled, settleChunk, type Writing } from "./settle.ts";
import { type BulkTarget, bulkTarget, type WriteTools } from "./target.ts";
import { createTextPool } from "./text-pool.ts";
import { createLookahead, windowsOf } from "./windows.ts";

export interface BulkOptions {
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

/** What bulk requests read and call. */
interface BulkTools extends WriteTools, Pick<SourceTools, "cluster" | "embedder"> {
  api: Pick<ApiOptions, "log">;
}

/** Serves POST /application/bulk. Throws ApiError if the request fails as a whole (docs/guides/bulk.md says when). */
export async function runBulk(tools: BulkTools, call: BulkCall, { wait = sleep }: BulkOptions = {}): Promise<Reply> {
  const { body, operations, deadline, headers, caller } = call;
  requireTemplate(caller, null);
  requireIndex(caller, writtenName(caller, body.index));
  const target = await bulkTarget(tools, body.index, deadline);
  await requireFittingAnswer(call, target, headers["accept-encoding"]);

  const run = new BulkRun(tools, target, call, wait);
  await run.writeAll();
  const degraded = degradationsOf(run.degraded.filter(({ operation }) => run.results.get(operation)?.failed === false));
  for (const line of degradedMetric(tools.settings.project, degraded)) tools.api.log(line);
  return {
    status: 200,
    headers: {
      ...(degraded.length > 0 && { "x-degraded": "embedding" }),
      ...(run.retryAfter > 0 && { "retry-after": String(run.retryAfter) }),
    },
    body: answerText(echoOf(call), operations, run.results, run.took, degraded),
  };
}

/** Operations of a chunk that must be retried: conflicts, and writes to another index. */
type Unwritten = Pick<Settled, "conflicts" | "replaced">;

/** State of a request: the operations written so far, and those still open. */
class BulkRun {
  readonly results = new Map<Operation, ItemResult>();
  degraded: DegradedWrite[] = [];
  took = 0;
  /** Seconds after which failed operations may succeed; 0 if unknown. */
  retryAfter = 0;
  readonly #call: BulkCall;
  readonly #maxBytes: number;
  readonly #tools: BulkTools;
  #preparation: Preparation;
  #writing: Writing;
  /** Whether the cluster has answered a write. From then on, an unsent operation fails alone. */
  #answered = false;
  /** Operations stored in another index than they were prepared for. They are to be replaced. */
  readonly #stored = new Map<Operation, ItemResult>();
  /** Why no more operations are sent; undefined while they are. */
  #stopped: ApiError | undefined;
  /** Why stored documents could not be read; undefined if they could. */
  #unread: ApiError | undefined;

  constructor(tools: BulkTools, target: BulkTarget, call: BulkCall, wait: Required<BulkOptions>["wait"]) {
    const { cluster, settings, embedder } = tools;
    const { body, bytes, operations, deadline } = call;
    const documentOf = documentsIn(bytes);
    const needs = needsOf(operations, target.mappings, documentOf);
    this.#tools = tools;
    this.#call = call;
    this.#maxBytes = settings.max_bulk_bytes;
    this.#preparation = {
      cluster,
      target,
      deadline,
      documentOf,
      needs,
      embedded: new Map(),
      pool: createTextPool({ embedder, deadline, wait, ...usesOf(needs, target) }),
      embedder,
      writtenBy: (operation) => this.results.get(operation)?.guard,
      onDegraded: (operation, field, reason) => this.degraded.push({ operation, field, reason }),
    };
    const holds = heldWrites({ cluster, deadline, wait });
    this.#writing = { cluster, target, deadline, refresh: body.refresh, wait, holds };
  }

  /** Writes all operations in windows. While a window is written, the texts of the next one are embedded. */
  async writeAll(): Promise<void> {
    const windows = windowsOf(this.#call.operations, this.#preparation.target, this.#maxBytes);
    const startAhead = createLookahead(windows, this.#maxBytes, (wanted) =>
      this.#preparation.pool.start(textsOf(this.#preparation, wanted)),
    );
    for (const [index, { operations: members }] of windows.entries()) {
      startAhead(index);
      const due = members.filter((operation) => !this.#isLost(operation));
      const drafts = this.#take(await prepare(this.#preparation, due));
      startAhead(index + 1);
      await this.#write(drafts);
    }
    const reason = this.#stopped ?? this.#unread;
    if (reason && !this.#answered) throw nothingWritten(reason);
    this.degraded.push(...(await changedByPipeline(this.#preparation, this.results, this.degraded)));
  }

  /** Records a failure and returns true if the previous operation on the id, or a stop, forbids to send this one. */
  #isLost(operation: Operation): boolean {
    const earlier = operation.previous && this.results.get(operation.previous);
    if (earlier?.failed) this.#fail(operation, EARLIER_FAILED);
    else if (earlier?.unproven) this.#fail(operation, EARLIER_UNPROVEN);
    else if (this.#stopped) this.#fail(operation, itemErrorOf(this.#stopped));
    else return false;
    return true;
  }

  #take({ drafts, failed, failure }: Prepared): Draft[] {
    for (const [operation, error] of failed) this.#fail(operation, error);
    this.#unread ??= failure;
    return drafts;
  }

  /**
   * Writes drafts. After a conflict, reads the stored document, embeds its text and writes again. Drafts that reached
   * another index than they were prepared for are embedded again if its embedding settings differ, even if they are
   * stored there.
   */
  async #write(first: readonly Draft[]): Promise<void> {
    const { deadline, wait } = this.#writing;
    let drafts = first;
    for (let attempt = 1; drafts.length > 0; attempt += 1) {
      const { conflicts, replaced } = await this.#writeOnce(drafts);
      if (conflicts.length + replaced.length === 0) return;
      const wasHeld = [...conflicts, ...replaced].some(({ item }) => isHeld(item));
      const followed = wasHeld || replaced.length > 0 ? await this.#follow() : "same";
      // Writes refused by a write block do not count as attempts.
      if (wasHeld) attempt = 0;
      const delay = backoff(attempt - 1);
      const isLast = attempt === MAX_ATTEMPTS || this.#stopped !== undefined || delay >= deadline.remaining();
      const { changed, other, same } = this.#sort({ conflicts, replaced }, { followed, isLast });
      if (changed.length + other.length + same.length === 0) return;
      await wait(delay);
      const again = operationsOf([...changed, ...other]);
      this.degraded = this.degraded.filter(({ operation }) => !again.includes(operation));
      drafts = [
        ...same.map(({ draft }) => draft),
        ...(changed.length > 0 ? this.#take(await prepareFromStored(this.#preparation, operationsOf(changed))) : []),
        ...(other.length > 0 ? await this.#prepareAgain(other) : []),
      ];
    }
  }

  /** Returns the operations to prepare again, from stored documents or for another index, and those to send unchanged. */
  #sort({ conflicts, replaced }: Unwritten, { followed, isLast }: { followed: Followed; isLast: boolean }) {
    const { target, needs } = this.#preparation;
    const changed: Settled["conflicts"] = [];
    const [other, same]: [Settled["replaced"], Settled["replaced"]] = [[], []];
    for (const one of conflicts) {
      const { operation } = one.draft;
      // Other operations would overwrite a concurrent change.
      if (isLast || operation.op !== "update") this.#record(operation, one.item);
      else changed.push(one);
    }
    for (const one of replaced) {
      const { draft, item } = one;
      const fate = fateOf(item, { target, needs: needs.get(draft.operation) ?? [], followed });
      if (fate === "prepare" && !isLast) other.push(one);
      else if (fate === "resend" && !isLast) same.push(one);
      else if (fate === "settled" || item.failed) this.#record(draft.operation, item);
      else this.#keepStored(draft.operation);
    }
    return { changed, other, same };
  }

  /** Switches preparation to the index that the name now stands for. Returns how it compares with the earlier one. */
  async #follow(): Promise<Followed> {
    const { target: before, documentOf } = this.#preparation;
    const { operations } = this.#call;
    const target = await this.#lookAgain();
    if (!target) return "unknown";
    if (target.itemIndex === before.itemIndex) return "same";
    const needs = needsOf(operations, target.mappings, documentOf);
    this.#preparation = { ...this.#preparation, target, needs };
    this.#writing = { ...this.#writing, target };
    return JSON.stringify(target.mappings) === JSON.stringify(before.mappings) ? "alike" : "other";
  }

  /** Returns the target that the name now stands for; undefined if the cluster does not answer. */
  async #lookAgain(): Promise<BulkTarget | undefined> {
    const { body, deadline } = this.#call;
    for (let attempt = 1; ; attempt += 1) {
      const target = await bulkTarget(this.#tools, body.index, deadline, 0).catch(() => undefined);
      const delay = backoff(attempt - 1);
      if (target || attempt === MAX_ATTEMPTS || delay >= deadline.remaining()) return target;
      await this.#writing.wait(delay);
    }
  }

  /** Prepares operations for another index. Documents already stored are replaced only in the stored version. */
  async #prepareAgain(replaced: Settled["replaced"]): Promise<Draft[]> {
    const stored = new Map(replaced.map(({ draft, item }) => [draft.operation, item.guard]));
    const drafts = this.#take(await prepare(this.#preparation, operationsOf(replaced)));
    return drafts.map((draft) => {
      const guard = stored.get(draft.operation) ?? draft.guard;
      return guard ? { ...draft, guard } : draft;
    });
  }

  async #writeOnce(drafts: readonly Draft[]): Promise<Unwritten> {
    const conflicts: Settled["conflicts"] = [];
    const replaced: Settled["replaced"] = [];
    for (const chunk of chunksOf(this.#call.bytes, drafts, this.#maxBytes)) {
      if (this.#stopped) {
        for (const { draft } of chunk) this.#fail(draft.operation, itemErrorOf(this.#stopped));
        continue;
      }
      const settled = await settleChunk(this.#writing, chunk);
      this.#absorb(settled);
      conflicts.push(...settled.conflicts);
      replaced.push(...settled.replaced);
    }
    return { conflicts, replaced };
  }

  #absorb(settled: Settled): void {
    this.took += settled.took;
    for (const [operation, item] of settled.results) this.#record(operation, item);
    for (const { draft, item } of settled.replaced) {
      if (item.failed) continue;
      this.#record(draft.operation, item);
      this.#stored.set(draft.operation, this.results.get(draft.operation) as ItemResult);
    }
    if (settled.unknown.length > 0) throw outcomeUnknown(this.#call.operations, this.results, settled);
    if (settled.results.size + settled.conflicts.length + settled.replaced.length > 0) this.#answered = true;
    for (const { operations: unsent, error } of settled.unsent) {
      if (!this.#answered) throw nothingWritten(error);
      for (const operation of unsent) this.#fail(operation, itemErrorOf(error));
      // A rejected call says nothing about the next one, but if the cluster is unavailable, the next call fails too.
      if (error.code === "upstream_unavailable" || error.code === "timeout") this.#stopped = error;
    }
  }

  #fail(operation: Operation, error: ItemError): void {
    if (!this.#stored.has(operation)) this.retryAfter = Math.max(this.retryAfter, error.retryAfter ?? 0);
    this.#record(operation, failedItem(this.#preparation.target.itemIndex, operation, error));
  }

  /** Records an outcome. A stored operation counts as written even if replacing its embeddings fails. */
  #record(operation: Operation, item: ItemResult): void {
    const stored = this.#stored.get(operation);
    if (stored && item.failed) this.#keepStored(operation);
    // The write without an answer may still arrive.
    else this.results.set(operation, stored?.unproven ? { ...item, unproven: true } : item);
  }

  /** Reports that an operation is stored with the embeddings of another index. */
  #keepStored(operation: Operation): void {
    const { target, needs } = this.#preparation;
    this.degraded = this.degraded.filter((one) => one.operation !== operation);
    for (const [at, { kind }] of (needs.get(operation) ?? []).entries()) {
      const field = target.mappings[at]?.embedding_field;
      if (field !== undefined && kind !== "none") {
        this.degraded.push({ operation, field, reason: OF_ANOTHER_MODEL, isEarlier: true });
      }
    }
  }
}

const operationsOf = (unwritten: Settled["conflicts"]): Operation[] => unwritten.map(({ draft }) => draft.operation);
