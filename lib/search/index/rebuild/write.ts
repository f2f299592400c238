import { parseJson } from "../../../core/json/values.ts";
import type { SourceCopy, StoredCopy } from "./documents.ts";
import { RunFailure, TakenOver } from "./failure.ts";
import { pathOf, type RunCalls } from "./run-calls.ts";

/** The outcome of one write to the new index. `unchanged`: it has this version, or a later one. */
export type Written = { kind: "written" | "unchanged" } | { kind: "rejected"; reason: string };

/** Writes copies to the new index and returns their outcomes in the same order. */
export type WriteCopies = (copies: readonly SourceCopy[]) => Promise<Written[]>;

/** Bytes of one `_bulk` body: below the 4 MiB that the gateway takes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

const RETRY_MS = 500;

interface Line {
  /** The two lines of the operation, or one for a delete. */
  text: string;
  bytes: number;
}

/**
 * Returns a function that writes copies through `target`, an alias that exists only as long as this process owns the
 * run: the cluster refuses the writes of a process that another one has replaced.
 */
export function nativeWriter(calls: RunCalls, target: string): WriteCopies {
  return (copies) => bulk(calls, target, copies.map(indexLine), (status) => status === 409);
}

/**
 * Deletes copies in exactly these versions: a document that was written again since then keeps its later copy.
 */
export async function deleteCopies(calls: RunCalls, target: string, copies: readonly StoredCopy[]): Promise<void> {
  const outcomes = await bulk(calls, target, copies.map(deleteLine), (status) => status === 404 || status === 409);
  const failed = outcomes.find((outcome) => outcome.kind === "rejected");
  if (failed) throw new RunFailure(`A deleted document could not be deleted from the new index: ${failed.reason}`);
}

function indexLine({ id: _id, routing, version, source }: SourceCopy): Line {
  // Line breaks inside strings are always escaped, so these are white space.
  const document = /[\n\r]/.test(source) ? source.replaceAll(/[\n\r]/g, " ") : source;
  return lineOf(`${actionOf("index", { _id, routing }, version, "external")}\n${document}\n`);
}

function deleteLine({ id: _id, routing, version }: StoredCopy): Line {
  return lineOf(`${actionOf("delete", { _id, routing }, version, "external_gte")}\n`);
}

/** A version can exceed what a JavaScript number holds, so it is put in as text. */
function actionOf(op: string, identity: object, version: bigint, type: string): string {
  return `{"${op}":${JSON.stringify(identity).slice(0, -1)},"version":${version},"version_type":"${type}"}}`;
}

const lineOf = (text: string): Line => ({ text, bytes: Buffer.byteLength(text) });

interface Item {
  status: number;
  error?: { type: string; reason: string; caused_by?: { reason?: string } };
}

async function bulk(
  calls: RunCalls,
  target: string,
  lines: readonly Line[],
  isUnchanged: (status: number) => boolean,
): Promise<Written[]> {
  const outcomes: Written[] = new Array(lines.length);
  let pending = lines.map((line, place) => ({ line, place }));
  while (pending.length > 0) {
    const again: typeof pending = [];
    for (const chunk of chunksOf(pending)) {
      const items = await send(calls, target, chunk.map(({ line }) => line.text).join(""));
      for (const [index, one] of chunk.entries()) {
        // Only a single document can exceed the limit of a body.
        const { status, error } = items[index] ?? { status: 413 };
        if (status === 429 || status === 503) again.push(one);
        else if (isUnchanged(status)) outcomes[one.place] = { kind: "unchanged" };
        else if (status < 300) outcomes[one.place] = { kind: "written" };
        else outcomes[one.place] = { kind: "rejected", reason: reasonOf(status, error) };
      }
    }
    if (again.length > 0) {
      calls.pace.refused();
      await calls.wait(RETRY_MS);
    }
    pending = again;
  }
  return outcomes;
}

async function send(calls: RunCalls, target: string, body: string): Promise<Item[]> {
  const answer = await calls.send(
    {
      method: "POST",
      path: pathOf(target, "_bulk"),
      // No ingest pipeline: the copies went through it when they were first written.
      query: "require_alias=true&pipeline=_none",
      headers: { "content-type": "application/x-ndjson" },
      body,
    },
    [404, 413],
  );
  if (answer.status === 413) return [];
  const { items } = (parseJson(answer.body) ?? {}) as { items?: Array<Record<string, Item>> };
  const results = items?.map((item) => Object.values(item)[0] ?? { status: 500 });
  if (answer.status === 404 || !results || results.some(({ error }) => error?.type === "index_not_found_exception")) {
    throw new TakenOver("Another process has taken over this run or cancelled it");
  }
  return results;
}

function* chunksOf<One extends { line: Line }>(all: readonly One[]): Generator<One[]> {
  let chunk: One[] = [];
  let bytes = 0;
  for (const one of all) {
    if (chunk.length > 0 && bytes + one.line.bytes > MAX_BODY_BYTES) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(one);
    bytes += one.line.bytes;
  }
  if (chunk.length > 0) yield chunk;
}

const reasonOf = (status: number, error: Item["error"]): string =>
  error ? [`${error.type}: ${error.reason}`, error.caused_by?.reason].filter(Boolean).join(": ") : `status ${status}`;
