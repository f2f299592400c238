import type { StoreFailure } from "../../../platform/aws/store-failure.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import type { FallbackList } from "../../../settings/placements.ts";
import type { RecordStore } from "../../clients/record-store.ts";
import type { Profile } from "../../records/profile.ts";
import { isActive } from "./item-record.ts";

/** Records to read at once after the first read did not suffice: one call to the table. */
const READ_AHEAD = 100;

/** Where an item of a list comes from: the campaign, the built-in engine, or a list of the fallback chain. */
export type Origin = "campaign" | FallbackList["list"];

/** A test of items. Items whose record cannot be read fail it. */
export type Test = (id: string, record: Profile) => boolean;

/** An open source. */
export interface Opened {
  /** The ids, best first. */
  batches: AsyncIterable<readonly string[]>;
  /** A test in addition to those that all candidates must pass. */
  passes?: Test | undefined;
}

/** A list to take items from. It reports its own failures and is then empty or ends early. */
export interface Source {
  /** Returns the origin of one of its items. */
  originOf: (id: string) => Origin;
  /** Opens the source. Called once, when the first item is needed. */
  open(): Promise<Opened>;
}

/** Yields nothing: the batches of a source that cannot be used. */
export async function* nothing(): AsyncGenerator<readonly string[]> {
  // No batch.
}

/** An item that may be in the list. */
export interface Candidate {
  id: string;
  origin: Origin;
  /** Undefined if it could not be read. */
  record: Profile | undefined;
}

/** The tests for all candidates of a request, and their findings. */
export interface Checks {
  records: Pick<RecordStore, "read">;
  deadline: Deadline;
  /** The most items of the list. */
  limit: number;
  /** Ids that are not candidates. Taken ids are added. */
  excluded: Set<string>;
  /** The only ids that are candidates; undefined for all. */
  only?: ReadonlySet<string> | undefined;
  /** Whether an item can be bought. Undefined if the placement does not say. */
  inStock?: ((record: Profile) => boolean) | undefined;
  /** Why records could not be read. Set by the first failure. */
  failure?: StoreFailure | undefined;
  /** Ids without a record. */
  unknown: Set<string>;
  /** Ids of items that pass all tests, but are not active. */
  retired: Set<string>;
}

/**
 * The eligible items of several sources, read lazily. When all eligible items of a source are taken, moves on to the
 * next.
 */
export class Candidates {
  readonly #checks: Checks;
  readonly #sources: Source[];
  #current: { batches: AsyncIterator<readonly string[]>; passes: Test | undefined } | undefined;
  #unread: string[] = [];
  /** Records to read next. */
  #size = READ_AHEAD;
  #eligible: Candidate[] = [];
  /** Size of `excluded` when the eligible items were last checked against it. */
  #excluded = 0;

  constructor(sources: readonly Source[], checks: Checks) {
    this.#sources = [...sources];
    this.#checks = checks;
  }

  /** Returns the first eligible items of the current source, at most `count`; none if no source has any left. */
  async next(count: number): Promise<readonly Candidate[]> {
    const [source] = this.#sources;
    if (!source) return [];
    const { excluded } = this.#checks;
    if (this.#excluded !== excluded.size) this.#eligible = this.#eligible.filter(({ id }) => !excluded.has(id));
    this.#excluded = excluded.size;
    while (this.#eligible.length < count && (await this.#more(source, count)));
    if (this.#eligible.length > 0) return this.#eligible.slice(0, count);
    this.#sources.shift();
    this.#current = undefined;
    return this.next(count);
  }

  /** Takes an item: neither these candidates nor those of the same request return it again. */
  take(taken: Candidate): void {
    const { excluded } = this.#checks;
    if (this.#excluded === excluded.size) this.#excluded += 1;
    excluded.add(taken.id);
    this.drop(taken);
  }

  /** Drops an item that these candidates shall not return again. */
  drop(dropped: Candidate): void {
    this.#eligible.splice(this.#eligible.indexOf(dropped), 1);
  }

  /** Reads and checks more ids of a source. Returns false at its end. */
  async #more(source: Source, count: number): Promise<boolean> {
    if (!this.#current) {
      const { batches, passes } = await source.open();
      this.#current = { batches: batches[Symbol.asyncIterator](), passes };
      const { limit, inStock } = this.#checks;
      this.#size = passes || inStock ? READ_AHEAD : Math.max(limit, count);
    }
    const { batches, passes } = this.#current;
    if (this.#unread.length === 0) {
      const { value, done } = await batches.next();
      if (done) return false;
      this.#unread = [...new Set<string>(value)];
    }
    const { records, deadline, excluded, only, inStock, unknown, retired } = this.#checks;
    const seen = new Set(this.#eligible.map(({ id }) => id));
    const isCandidate = (id: string) => !excluded.has(id) && !seen.has(id) && only?.has(id) !== false;
    const part = this.#unread.splice(0, this.#size).filter(isCandidate);
    this.#size = READ_AHEAD;
    if (part.length === 0) return true;
    const read = await records.read("item", part, deadline);
    this.#checks.failure ??= read.failure;
    for (const id of part) {
      const record = read.records.get(id);
      if (read.unread.has(id)) {
        if (!passes && !inStock) this.#eligible.push({ id, origin: source.originOf(id), record: undefined });
      } else if (record === undefined) {
        unknown.add(id);
      } else if (inStock?.(record) !== false && passes?.(id, record) !== false) {
        if (isActive(record)) this.#eligible.push({ id, origin: source.originOf(id), record });
        else retired.add(id);
      }
    }
    return true;
  }
}
