import { CHUNKING } from "../lib/settings/vectors.ts";
import { COMPUTED, digits, estimate, figure, HOUR, type Line, MEASURED, type Results, whole } from "./sizing-lines.ts";

/** Kinds of vectors of Faiss, which the local server does not have, with the bytes of a number in memory. */
const ESTIMATED = [
  { kind: "`fp16`", bytesANumber: 2 },
  { kind: "`on_disk_8x`", bytesANumber: 0.5 },
  { kind: "`on_disk_16x`", bytesANumber: 0.25 },
  { kind: "`binary` and `on_disk_32x`", bytesANumber: 0.125 },
];

/**
 * Bytes in Lucene's files of a million vectors of 64 numbers, and recall@10. Measured on 2026-11-26 by a benchmark that
 * has ended: see `vectors` in bench/ENDED.md.
 */
const DENSE = {
  float: { bytesANumber: 4, graphBytes: 56.505, recall: 0.998 },
  byte: { bytesANumber: 1, graphBytes: 56.496, recall: 0.977 },
  sq: { bytesANumber: 1.0625, graphBytes: 56.509, recall: 0.75 },
};
type DenseKind = keyof typeof DENSE;
const DENSE_KINDS = Object.keys(DENSE) as DenseKind[];

/** Bytes of a token of a document, from a million sparse vectors of 40 tokens; of the same benchmark. */
const SPARSE = [
  { kind: "rank_features", where: "outside of the heap", tokenBytes: 127.78 / 40, recall: 0.997 },
  { kind: "sparse_vector", where: "nearly all in the heap", tokenBytes: 529.96 / 40, recall: 0.955 },
];

/** Different tokens of a document, each with a weight. */
const TOKENS = 200;
const DIMENSION = 1_024;

/** Returns the bytes of a vector of {@link DIMENSION} numbers with its place in the graph. */
const vectorBytes = (kind: DenseKind): number => DIMENSION * DENSE[kind].bytesANumber + DENSE[kind].graphBytes;

/** Documents that a model embeds in a second. */
const EMBEDDED_A_SECOND = 200;

/** What long documents need more than short ones, if `chunking` splits them. */
export function longDocuments(): Line[] {
  const count = 1e8;
  const tokens = 1_450;
  const { tokens: most, overlap } = CHUNKING;
  const passages = 1 + Math.ceil((tokens - most) / (most - overlap));
  const mostInShard = 2_147_483_519;
  return [
    {
      what: "passages of a document",
      value: whole(passages),
      basis: estimate(`texts of ${whole(tokens)} tokens, in passages of ${most} that share ${overlap}`),
    },
    ...DENSE_KINDS.map((kind) => ({
      what: `memory for dense vectors as \`${kind}\`, outside of the heap`,
      value: `${digits((count * passages * vectorBytes(kind)) / 1e9)} GB for each copy`,
      basis: "computed from the bytes of a vector above: each passage has one",
    })),
    {
      what: "documents of Lucene",
      value: whole(count * (passages + 1)),
      basis: estimate(
        `each passage is one, beside the document; a shard holds at most ${whole(mostInShard)}, and merges are slow long before`,
      ),
    },
    {
      what: "embedding",
      value: `${digits((count * passages) / EMBEDDED_A_SECOND / HOUR)} instance-hours for each model`,
      basis: estimate(
        `the same ${EMBEDDED_A_SECOND} texts a second, not measured. A later \`update\` embeds the passages that are new alone`,
      ),
    },
    {
      what: "sparse weights",
      value: "as many entries as a document has different tokens",
      basis: estimate("passages share one field, so their number does not count"),
    },
  ];
}

/** What documents need, by how their vectors are stored. */
export function documents(results: Results): Line[] {
  const count = 1e8;
  const own = figure(results, "bulk", "dense_and_sparse_document_ms");
  const dimension = DIMENSION;
  const neighbours = 16;
  const estimatedBytes = (bytesANumber: number) => 1.1 * (bytesANumber * dimension + 8 * neighbours);
  const graphBytes = vectorBytes("float");
  const sourceBytes = 14_000;
  const sparseBytes = 1_000;
  const gigabytes = (bytes: number) => `${digits((count * bytes) / 1e9)} GB`;
  const models = EMBEDDED_A_SECOND;
  return [
    { what: "processor time of the gateway for a document", value: `${digits(own)} ms`, basis: MEASURED },
    {
      what: "processor time for all documents",
      value: `${digits((count * own) / 1_000 / HOUR)} hours of one core`,
      basis: COMPUTED,
    },
    ...DENSE_KINDS.map((kind) => ({
      what: `memory for dense vectors as \`${kind}\`, outside of the heap`,
      value: `${gigabytes(vectorBytes(kind))} for each copy`,
      basis: `computed from bytes that vectors in bench/ENDED.md measured in Lucene's files: ${digits(DENSE[kind].bytesANumber)} a number, ${whole(DENSE[kind].graphBytes)} for the graph of a vector; recall@10 ${DENSE[kind].recall.toFixed(3)} there`,
    })),
    ...ESTIMATED.map(({ kind, bytesANumber }) => ({
      what: `memory as ${kind}`,
      value: `${gigabytes(estimatedBytes(bytesANumber))} for each copy`,
      basis: estimate(
        `1.1 × (${bytesANumber} × ${whole(dimension)} + 8 × ${neighbours}) bytes a vector, the formula of OpenSearch's guide for HNSW with Faiss`,
      ),
    })),
    ...SPARSE.map(({ kind, where, tokenBytes, recall }) => ({
      what: `memory for sparse vectors as \`${kind}\`, ${where}`,
      value: `${gigabytes(TOKENS * tokenBytes)} for each copy`,
      basis: estimate(
        `${TOKENS} tokens a document; ${digits(tokenBytes)} bytes a token, which vectors in bench/ENDED.md measured; ` +
          `recall@10 ${recall.toFixed(3)} there`,
      ),
    })),
    {
      what: "heap",
      value: "32 GB a node at most, half of its memory",
      basis: estimate(
        "OpenSearch's advice; of vectors and postings only `sparse_vector` is in the heap, which does not grow with the others",
      ),
    },
    {
      what: "disk",
      value: `${gigabytes(graphBytes + sourceBytes / 2 + sparseBytes)} for each copy`,
      basis: estimate(
        `the graph, ${whole(sourceBytes)} bytes of source with the vector as text, of which compression leaves half, and ` +
          `${whole(sparseBytes)} bytes of sparse postings`,
      ),
    },
    {
      what: "embedding",
      value: `${digits(count / models / HOUR)} instance-hours for each model`,
      basis: estimate(`assumes ${models} documents a second on one GPU instance, not measured; measure yours`),
    },
    {
      what: "requests of 400 documents",
      value: whole(count / 400),
      basis: estimate("a few hundred documents per request, as the guide on bulk advises"),
    },
  ];
}
