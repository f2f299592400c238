import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ObjectStore } from "../../../../lib/platform/aws/object-store.ts";
import type { ProfileDataset } from "../../../../lib/platform/contract/recommendation.ts";
import {
  BETWEEN_RUNS,
  type BuiltInRecord,
  type BuiltInTable,
} from "../../../../lib/recommendation/clients/built-in-table.ts";
import type {
  PopularItems,
  PopularItemsStore,
  TableSource,
} from "../../../../lib/recommendation/clients/dynamo-tables.ts";

/** A bucket in memory that can fail: after `writesLeft` writes every call fails, as after a kill. */
export class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, Buffer>();
  writesLeft = Number.POSITIVE_INFINITY;
  /** Keys in the order in which they were written. */
  written: string[] = [];

  async *list(prefix: string) {
    this.#alive();
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) {
      const body = this.objects.get(key);
      if (body) yield { key, etag: createHash("md5").update(body).digest("hex"), size: body.length };
    }
  }

  async read(key: string) {
    this.#alive();
    const body = this.objects.get(key);
    return body && chunksOf(body);
  }

  async write(key: string, body: string | Uint8Array | { file: string }) {
    this.#alive();
    this.writesLeft -= 1;
    this.written.push(key);
    const isFile = typeof body === "object" && "file" in body;
    this.objects.set(key, isFile ? readFileSync(body.file) : Buffer.from(body));
  }

  async remove(keys: readonly string[]) {
    this.#alive();
    for (const key of keys) this.objects.delete(key);
  }

  /** Returns the content of a text object. */
  text(key: string): string {
    return this.objects.get(key)?.toString("utf8") ?? "";
  }

  /** Returns every object below a prefix as text, by key. */
  texts(prefix: string): Record<string, string> {
    const found = [...this.objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(found.map(([key, body]) => [key, body.toString("utf8")]));
  }

  #alive() {
    if (this.writesLeft <= 0) throw new Error("killed");
  }
}

async function* chunksOf(body: Buffer): AsyncGenerator<Uint8Array> {
  // The chunks are so small that every line and character is split somewhere.
  for (let at = 0; at < body.length; at += 1_000) yield body.subarray(at, at + 1_000);
}

type Records = Readonly<Record<string, unknown>>[];

/** Tables in memory, with ten records a page. */
export function memoryTables(tables: Record<ProfileDataset, Records>, size = 0): TableSource {
  return {
    size: async () => size,
    async scan(dataset, { segment, of, start }) {
      const own = tables[dataset].filter((_, index) => index % of === segment);
      const from = Number(start?.at ?? 0);
      const to = from + 10;
      return { records: own.slice(from, to), last: to < own.length ? { at: to } : null };
    },
  };
}

/** The built-in engine's table in memory. */
export class MemoryBuiltIn implements BuiltInTable {
  readonly records = new Map<string, BuiltInRecord>();

  async write(records: readonly BuiltInRecord[]) {
    for (const record of records) this.records.set(record.KEY, record);
  }

  async removeOthers(run: string) {
    for (const { KEY, RUN } of this.records.values()) if (RUN !== run && RUN !== BETWEEN_RUNS) this.records.delete(KEY);
    return true;
  }
}

/** Keeps the last value written. */
export class MemoryPopularItems implements PopularItemsStore {
  last: PopularItems | undefined;

  async write(popular: PopularItems) {
    this.last = popular;
  }
}
