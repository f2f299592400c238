import { grouped } from "../../../platform/aws/call.ts";
import type { VersionType } from "../../../platform/contract/search.ts";
import { parseJson } from "../../../platform/json/values.ts";
import { CREATE_NO_INDEX } from "../../opensearch/calls.ts";
import type { StoredCopy } from "./documents.ts";
import { RunFailure, TakenOver } from "./failure.ts";
import type { RunCalls } from "./run-calls.ts";

/**
 * The outcome of one write. `unchanged`: the index has this version or a later one, or its pipeline drops the document.
 */
export type Written = { kind: "written" | "unchanged" } | { kind: "rejected"; reason: string };

/** A document to write. */
export interface Writable {
  /** Default: `index`. */
  op?: "index" | "create";
  id: string;
  routing?: string;
  /**
   * External version: the index keeps a document with this version or a later one. If undefined, the document is
   * replaced.
   */
  version?: bigint;
  /** Default: `external`. `external_gte` also replaces a document of the same version. */
  versionType?: VersionType;
  source: string;
}

/** A change of a stored document. */
export interface Update {
  op: "update";
  id: string;
  routing?: string;
  /** The version that was read. A document that was changed or deleted since is left alone. */
  ifUnchanged: { seqNo: number; primaryTerm: number };
  /** The changed fields. */
  source: string;
}

/** Writes documents and returns their outcomes in the same order. */
export type WriteCopies = (copies: readonly Writable[]) => Promise<Written[]>;

/** Writes documents and updates through the gateway, which embeds them. */
export type EmbedDocuments = (documents: ReadonlyArray<Writable | Update>) => Promise<Written[]>;

/** The most bytes of a `_bulk` body: below the 4 MiB that the gateway accepts. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

const RETRY_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/** Rounds without progress before the run stops: about ten minutes. */
const ROUNDS = 65;

interface Line {
  /** The two lines of the operation, or one for a delete. */
  text: string;
  bytes: number;
}

/**
 * Returns a function that writes copies through the alias `target`. It exists only while this process owns the run: if
 * another process takes over, the cluster refuses this one's writes.
 */
export function nativeWriter(calls: RunCalls, target: string): WriteCopies {
  // Skips ingest pipelines: the documents went through them when they were first written.
  const to = { name: target, query: "&require_alias=true&pipeline=_none", first: "", onGone: takenOver };
  return (copies) => bulk(calls, to, copies.map(writeLine), (status) => status === 409);
}

/** Returns a function that writes documents to an existing index or alias. It never creates one. */
export function importWriter(calls: RunCalls, name: string): WriteCopies {
  const onGone = () => new RunFailure(`There is no index or alias ${name} any more`);
  const to = { name, query: "", first: CREATE_NO_INDEX, onGone };
  return (documents) => bulk(calls, to, documents.map(writeLine), (status) => status === 409);
}

const takenOver = () => new TakenOver("Another process has taken over this run or cancelled it");

/** Deletes copies with exactly these versions. A document that was written again keeps its later copy. */
export async function deleteCopies(calls: RunCalls, target: string, copies: readonly StoredCopy[]): Promise<void> {
  const to = { name: target, query: "&require_alias=true&pipeline=_none", first: "", onGone: takenOver };
  const outcomes = await bulk(calls, to, copies.map(deleteLine), (status) => status === 404 || status === 409);
  const failed = outcomes.find((outcome) => outcome.kind === "rejected");
  if (failed) throw new RunFailure(`A deleted document could not be deleted from the new index: ${failed.reason}`);
}

function writeLine({ op = "index", id: _id, routing, version, versionType, source }: Writable): Line {
  // Inside strings, line breaks are escaped, so these are white space.
  const document = /[\n\r]/.test(source) ? source.replaceAll(/[\n\r]/g, " ") : source;
  return lineOf(`${actionOf(op, { _id, routing }, version, versionType)}\n${document}\n`);
}

function deleteLine({ id: _id, routing, version }: StoredCopy): Line {
  return lineOf(`${actionOf("delete", { _id, routing }, version, "external_gte")}\n`);
}

/** Returns the action line. A version can exceed JavaScript's number range, so it is inserted as text. */
function actionOf(op: string, identity: object, version: bigint | undefined, type = "external"): string {
  const guard = version === undefined ? "" : `,"version":${version},"version_type":"${type}"`;
  return `{"${op}":${JSON.stringify(identity).slice(0, -1)}${guard}}}`;
}

const lineOf = (text: string): Line => ({ text, bytes: Buffer.byteLength(text) });

interface Item {
  status: number;
  result?: string;
  error?: { type: string; reason: string; caused_by?: { reason?: string } } | undefined;
}

/** Only a single document can exceed the limit of a body. */
export const TOO_LARGE: Item = {
  status: 413,
  error: { type: "payload_too_large", reason: "the document is over the limit for one request" },
};

/** Target of `_bulk` calls. */
interface BulkTarget {
  name: string;
  /** Further query parameters, each with a leading `&`. */
  query: string;
  /** Lines sent before each body; their results are dropped. */
  first: string;
  /** Returns the error for a target that does not exist. */
  onGone: () => RunFailure;
}

async function bulk(
  calls: RunCalls,
  target: BulkTarget,
  lines: readonly Line[],
  isUnchanged: (status: number) => boolean,
): Promise<Written[]> {
  const outcomes: Written[] = new Array(lines.length);
  let pending = lines.map((line, place) => ({ line, place }));
  for (let round = 0; pending.length > 0; ) {
    const again: typeof pending = [];
    let reason = "";
    for (const chunk of chunksOf(pending, ({ line }) => line.bytes)) {
      const items = await send(calls, target, chunk.map(({ line }) => line.text).join(""));
      for (const [index, one] of chunk.entries()) {
        const { status, result, error } = items[index] ?? TOO_LARGE;
        if (isPassing(status, error)) {
          again.push(one);
          reason = rejectionText({ status, error });
        } else if (isUnchanged(status) || result === "noop") outcomes[one.place] = { kind: "unchanged" };
        else if (status < 300) outcomes[one.place] = { kind: "written" };
        else outcomes[one.place] = { kind: "rejected", reason: rejectionText({ status, error }) };
      }
    }
    if (again.length > 0) {
      round = again.length < pending.length ? 0 : round + 1;
      if (round > ROUNDS) throw new RunFailure(`${target.name} has refused documents for ten minutes: ${reason}`);
      calls.pace.refused();
      await calls.wait(Math.min(LONGEST_DELAY_MS, RETRY_MS * 2 ** round));
    }
    pending = again;
  }
  return outcomes;
}

/** Returns whether an operation may succeed later: the node is busy, or a rebuild blocks writes. */
const isPassing = (status: number, error: Item["error"]): boolean =>
  status === 429 || status === 503 || (status === 403 && error?.type === "cluster_block_exception");

/** The members of an answer that are read. A full answer has two hundred bytes per document. */
const ANSWERED = "filter_path=error,status,items.*.status,items.*.result,items.*.error";

async function send(calls: RunCalls, { name, query, first, onGone }: BulkTarget, body: string): Promise<Item[]> {
  const answer = await calls.send(
    {
      method: "POST",
      path: `/${encodeURIComponent(name)}/_bulk`,
      query: `${ANSWERED}${query}`,
      headers: { "content-type": "application/x-ndjson" },
      body: first + body,
    },
    [404, 413],
  );
  if (answer.status === 413) return [];
  const { items } = (parseJson(answer.body) ?? {}) as { items?: Array<Record<string, Item>> };
  const results = items?.map((item) => Object.values(item)[0] ?? { status: 500 }).slice(first === "" ? 0 : 1);
  if (answer.status === 404 || !results || results.some(({ error }) => error?.type === "index_not_found_exception")) {
    throw onGone();
  }
  return results;
}

/** Splits documents into groups that fit into one body, in their order. */
export const chunksOf = <One>(all: readonly One[], bytesOf: (one: One) => number, most = all.length): One[][] =>
  grouped(all, bytesOf, { bytes: MAX_BODY_BYTES, count: most });

export const rejectionText = ({ status, error }: Item): string =>
  error ? [`${error.type}: ${error.reason}`, error.caused_by?.reason].filter(Boolean).join(": ") : `status ${status}`;
