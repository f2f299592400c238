/** One operation of a bulk request on a document that is known by its number `n`. */
export interface Operation {
  id: string;
  op: "index" | "update" | "delete";
  doc?: { n: number; text?: string };
}

/** What the answer says of one operation. */
export type Verdict = "done" | "not_done" | "unknown";

/**
 * What each document may hold after the answers so far: its number, or undefined if it is absent. A document whose last
 * operation has an unknown outcome is not written again, as the documentation advises, so the possibilities stay few.
 */
export class Ledger {
  readonly #possible = new Map<string, Set<number | undefined>>();
  readonly #history = new Map<string, string[]>();
  /** The number of operations by verdict. */
  readonly counts: Record<Verdict, number> = { done: 0, not_done: 0, unknown: 0 };

  /** Whether the next operation on this document may be sent. */
  isSettled(id: string): boolean {
    return (this.#possible.get(id)?.size ?? 1) === 1;
  }

  /** Whether the document is known to be stored. */
  isStored(id: string): boolean {
    return [...(this.#possible.get(id) ?? [undefined])].every((n) => n !== undefined);
  }

  note({ id, op, doc }: Operation, verdict: Verdict, detail: string): void {
    this.counts[verdict] += 1;
    const history = this.#history.get(id) ?? [];
    history.push(`${new Date().toISOString().slice(11, 19)} ${op} ${doc?.n ?? ""} ${verdict} (${detail})`);
    this.#history.set(id, history);
    if (verdict === "not_done") return;
    const before = verdict === "unknown" ? (this.#possible.get(id) ?? [undefined]) : [];
    this.#possible.set(id, new Set([...before, doc?.n]));
  }

  /** The reported outcome of each operation on a document, to explain a difference. */
  history(id: string): readonly string[] {
    return this.#history.get(id) ?? [];
  }

  ids(): string[] {
    return [...this.#possible.keys()];
  }

  /** Whether the document may hold this number. */
  allows(id: string, n: number | undefined): boolean {
    return (this.#possible.get(id) ?? new Set([undefined])).has(n);
  }
}

interface BulkAnswer {
  index_response?: { items: Array<Record<string, { status: number; error?: { type: string } }>> };
  error?: { code: string; cause?: Positions };
}

/** Positions in `bulk_request` by state, as text: `0-119, 121`. */
interface Positions {
  unknown?: string;
  written?: string;
}

/** Returns the verdict on each of `count` operations of a bulk request; `body` is undefined if no answer arrived. */
export function verdictsOf(count: number, body: BulkAnswer | undefined): Verdict[] {
  const items = body?.index_response?.items;
  const cause = body?.error?.cause;
  return Array.from({ length: count }, (_, position) => {
    if (body === undefined) return "unknown";
    if (!items) return verdictOfError(position, body.error?.code, cause);
    const [[name, item] = []] = Object.entries(items[position] ?? {});
    if (!item) return "unknown";
    if (item.status < 300 || (name === "delete" && item.status === 404 && !item.error)) return "done";
    return item.error?.type === "outcome_unknown" ? "unknown" : "not_done";
  });
}

function verdictOfError(position: number, code: string | undefined, cause: Positions | undefined): Verdict {
  if (code !== "outcome_unknown") return "not_done";
  if (contains(cause?.written, position)) return "done";
  return cause === undefined || contains(cause.unknown, position) ? "unknown" : "not_done";
}

function contains(ranges: string | undefined, position: number): boolean {
  return (ranges?.split(", ") ?? []).some((range) => {
    const [from = Number.NaN, to = from] = range.split("-").map(Number);
    return from <= position && position <= to;
  });
}
