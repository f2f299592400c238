import { elementSlices, memberSlices, type Slice } from "../../../platform/json/slices.ts";
import { type ClusterAnswer, ClusterFailure } from "../../opensearch/cluster.ts";
import { sourcePatterns } from "../../opensearch/source-fields.ts";
import { RunFailure } from "./failure.ts";
import { documents } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";

/** One version of a document in the old index. */
export interface StoredCopy {
  id: string;
  routing?: string;
  seqNo: number;
  version: bigint;
}

/** The same with its `_source` as text, which is passed on unparsed. */
export interface SourceCopy extends StoredCopy {
  source: string;
  primaryTerm: number;
  /** The tested queries that the document matches. */
  has: readonly string[];
}

/** Fields and queries to read. */
export interface WantedFields {
  /** Fields of `_source`. */
  of: readonly string[];
  /** Queries by name. The cluster reports for each document which of them match. */
  tested: Readonly<Record<string, object>>;
}

/** Documents of one shard whose sequence numbers are from `from` to `to`. */
export interface Range {
  shard: number;
  from: number;
  to: number;
}

interface RawHit {
  _id: string;
  _routing?: string;
  _seq_no: number;
  _primary_term: number;
  matched_queries?: string[];
}

const LARGEST_PAGE = 200;

/**
 * Returns the documents in a range, without their sources. Reading by sequence number needs no heap memory in the
 * cluster, unlike sorting by id. The range has at most 10,000 sequence numbers.
 */
export async function readIds(calls: RunCalls, index: string, range: Range): Promise<StoredCopy[]> {
  const answer = await search(calls, index, range, { size: range.to - range.from + 1, _source: false });
  return hitsOf(answer).map(({ raw }) => storedCopy(raw));
}

/**
 * Yields the documents in a range with their sources. Pages become smaller if an answer is too large. By default,
 * sources are complete.
 */
export async function* readSources(
  calls: RunCalls,
  index: string,
  range: Range,
  fields?: WantedFields,
): AsyncGenerator<SourceCopy[]> {
  const _source = fields ? sourcePatterns(fields.of) : true;
  let size = LARGEST_PAGE;
  let from = range.from;
  while (from <= range.to) {
    let answer: ClusterAnswer;
    try {
      answer = await search(calls, index, { ...range, from }, { size, _source }, fields?.tested);
    } catch (error) {
      if (!(error instanceof ClusterFailure) || error.kind !== "too_large") throw error;
      if (size === 1) throw new RunFailure(`A document of ${index} is too large to be read`, { cause: error });
      size = Math.ceil(size / 4);
      continue;
    }
    const text = answer.body.toString("utf8");
    const page = hitsOf(answer).map(({ raw, slice }): SourceCopy => {
      const source = memberSlices(text, slice.start, slice.end).get("_source");
      if (!source) throw new RunFailure(`The document ${raw._id} of ${index} has no _source, so it cannot be copied`);
      const { _primary_term: primaryTerm, matched_queries: has = [] } = raw;
      return { ...storedCopy(raw), primaryTerm, has, source: text.slice(source.start, source.end) };
    });
    if (page.length > 0) yield page;
    if (page.length < size) return;
    from = (page.at(-1)?.seqNo ?? range.to) + 1;
  }
}

/** State of a document in an index. */
export interface Present {
  version: bigint;
  seqNo: number;
  primaryTerm: number;
  /** Absent unless sources were requested. */
  source?: string;
}

export interface ReadByIdOptions {
  source: boolean;
  /** Whether to see writes since the last refresh. */
  realtime: boolean;
}

/** Returns an index's versions of documents, in their order; undefined for missing ones. */
export async function readByIds(
  calls: RunCalls,
  index: string,
  wanted: readonly StoredCopy[],
  { source, realtime }: ReadByIdOptions,
): Promise<Array<Present | undefined>> {
  if (wanted.length === 0) return [];
  const docs = wanted.map(({ id: _id, routing }) => ({ _id, routing }));
  const read = (part: typeof docs) =>
    calls.send(documents.mget({ index, _source: source, realtime, preference: "_primary", body: { docs: part } }));
  let answer: ClusterAnswer;
  try {
    answer = await read(docs);
  } catch (error) {
    if (!(error instanceof ClusterFailure) || error.kind !== "too_large" || wanted.length === 1) throw error;
    const middle = Math.ceil(wanted.length / 2);
    const first = await readByIds(calls, index, wanted.slice(0, middle), { source, realtime });
    return [...first, ...(await readByIds(calls, index, wanted.slice(middle), { source, realtime }))];
  }
  const text = answer.body.toString("utf8");
  const list = memberSlices(text).get("docs");
  return elementSlices(text, list?.start, list?.end).map((slice) => presentOf(text, slice));
}

function presentOf(text: string, slice: Slice): Present | undefined {
  const members = memberSlices(text, slice.start, slice.end);
  const value = (key: string) => {
    const member = members.get(key);
    return member && text.slice(member.start, member.end);
  };
  if (members.has("error")) throw new RunFailure(`A document could not be read: ${value("error")}`);
  if (value("found") !== "true") return undefined;
  const source = value("_source");
  return {
    version: BigInt(value("_version") ?? 0),
    seqNo: Number(value("_seq_no")),
    primaryTerm: Number(value("_primary_term")),
    ...(source !== undefined && { source }),
  };
}

function search(
  calls: RunCalls,
  index: string,
  { shard, from, to }: Range,
  body: object,
  tested: WantedFields["tested"] = {},
): Promise<ClusterAnswer> {
  const range = { range: { _seq_no: { gte: from, lte: to } } };
  const should = Object.entries(tested).map(([_name, query]) =>
    Object.fromEntries(Object.entries(query).map(([kind, parameters]) => [kind, { ...parameters, _name }])),
  );
  const whole = {
    track_total_hits: false,
    seq_no_primary_term: true,
    query: should.length > 0 ? { bool: { filter: [range], should } } : range,
    sort: [{ _seq_no: { order: "asc", unmapped_type: "long" } }],
    ...body,
  };
  return calls.send(documents.search({ index, ...ofShard(shard), body: whole }));
}

/**
 * Returns the parameters of a search in one shard: on its primary, which has all writes after a refresh, and without
 * the index's search pipeline, which may hide or change documents.
 */
export const ofShard = (shard: number) => ({ ...ofPrimaries, preference: `_shards:${shard}|_primary` });

/** The same for all shards. */
export const ofPrimaries = {
  preference: "_primary",
  search_pipeline: "_none",
  allow_partial_search_results: false,
  request_cache: false,
};

function hitsOf({ body }: ClusterAnswer): Array<{ raw: RawHit; slice: Slice }> {
  const text = body.toString("utf8");
  const { hits } = (JSON.parse(text) as { hits: { hits: RawHit[] } }).hits;
  const outer = memberSlices(text).get("hits");
  const list = memberSlices(text, outer?.start, outer?.end).get("hits");
  const slices = elementSlices(text, list?.start, list?.end);
  return hits.map((raw, index) => ({ raw, slice: slices[index] as Slice }));
}

function storedCopy({ _id: id, _routing: routing, _seq_no: seqNo, _primary_term: term }: RawHit): StoredCopy {
  return { id, ...(routing !== undefined && { routing }), seqNo, version: copyVersion(seqNo, term) };
}

const TERM_UNIT = 2n ** 40n;
const LIMIT = 2n ** 63n;

/**
 * Returns the external version of a copy: primary term × 2^40 + sequence number. A later write to a document has a
 * higher one, also after a failover, which may give a lost sequence number to another write in a higher term. Throws
 * RangeError beyond what fits.
 */
export function copyVersion(seqNo: number, primaryTerm: number): bigint {
  const version = BigInt(primaryTerm) * TERM_UNIT + BigInt(seqNo);
  if (BigInt(seqNo) >= TERM_UNIT || version >= LIMIT) {
    throw new RangeError(`sequence number ${seqNo} in primary term ${primaryTerm} gives no version below 2^63`);
  }
  return version;
}
