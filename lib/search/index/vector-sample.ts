import { withMapped } from "../../platform/json/slices.ts";
import { isObject } from "../../platform/json/values.ts";
import { VECTORS, type Vectors, vectorsOfField } from "../../settings/vectors.ts";
import { byteVectorJson } from "../embeddings/byte-vector.ts";
import type { IndexMeta } from "../index-meta/index-meta.ts";
import { isAmong } from "../opensearch/hidden-fields.ts";
import { fieldsOfMapping, hasEmbedding, hiddenIn } from "../opensearch/index-catalog.ts";
import { changedVectors } from "./changed-vectors.ts";
import { fieldOnPath, withField } from "./mapping-path.ts";
import type { DescribedIndex } from "./rebuild/create.ts";
import { readSources } from "./rebuild/documents.ts";
import { RunFailure } from "./rebuild/failure.ts";
import { indices } from "./rebuild/requests.ts";
import type { RunCalls } from "./rebuild/run-calls.ts";
import { refresh, shardMarks } from "./rebuild/shards.ts";
import { importWriter } from "./rebuild/write.ts";

/** The documents to copy into a new index that contains only vectors. */
export interface WantedSample {
  source: DescribedIndex;
  /** The name of the new index. */
  name: string;
  /** The entry of hybrid_search.yaml that the gateway uses for the new index. */
  entry: string;
  /** The field, and the storage format for its vectors. */
  field: string;
  vectors: Vectors;
  /** The approximate number of documents. */
  most: number;
}

/** The documents that were copied. */
export interface Sample {
  documents: number;
  /** Every shard's documents up to this sequence number are in the sample. */
  upTo: number;
}

/** Sequence numbers to read of a shard before moving to the next. */
const STEP = 1_000;

/**
 * Creates an index with one embedding field of another index in a different storage format. Copies the vectors of the
 * first documents of each shard. Throws RunFailure if the cluster refuses the index or a document.
 */
export async function copySample(calls: RunCalls, wanted: WantedSample): Promise<Sample> {
  const { source, name, field, most } = wanted;
  const target = targetOf(wanted);
  const stored = fieldsOfMapping(source.mappings);
  const what = { of: [field], tested: { [field]: hasEmbedding(stored, field) } };
  await calls.json(indices.create({ index: name, body: target.body }));
  await refresh(calls, source.name);
  const marks = await shardMarks(calls, source.name);
  const last = Math.max(...marks.map((mark) => mark.last));
  const write = importWriter(calls, name);
  let documents = 0;
  let from = 0;
  for (; from <= last && documents < most; from += STEP) {
    for (const { shard } of marks) {
      const range = { shard, from, to: from + STEP - 1 };
      for await (const page of readSources(calls, source.name, range, what)) {
        const embedded = page.filter(({ has }) => has.includes(field));
        const copies = embedded.map(({ id, routing, source: text }) => ({
          id,
          ...(routing !== undefined && { routing }),
          source: target.toBytes ? withMapped(text, [field], byteVectorJson) : text,
        }));
        const rejected = (await write(copies)).find((outcome) => outcome.kind === "rejected");
        if (rejected) throw new RunFailure(`${name} rejected a document: ${rejected.reason}`);
        documents += copies.length;
      }
    }
  }
  await refresh(calls, name);
  return { documents, upTo: from - 1 };
}

/** Returns the body of the new index, and whether vectors become bytes. Throws RunFailure if there is no such field. */
function targetOf({ source, entry, field, vectors }: WantedSample): { body: object; toBytes: boolean } {
  const { properties } = source.mappings;
  const found = fieldOnPath(isObject(properties) ? properties : {}, field);
  const stored = found.path === field && isObject(found.field) ? found.field : undefined;
  // OpenSearch 3.6 omits vectors when fields of a nested source are requested by name.
  if (stored?.type === "nested") {
    throw new RunFailure(`${field} has passages, which no sample copies: rebuild with --no-switch and measure its run`);
  }
  if (isAmong(hiddenIn(source.mappings), field)) {
    throw new RunFailure(
      `Documents of ${source.name} do not show ${field}: rebuild with --no-switch and measure its run`,
    );
  }
  const before = stored && vectorsOfField(stored);
  if (!stored || !before || VECTORS[before].of !== "dense") {
    throw new RunFailure(`${source.name} has no field ${field} with dense embeddings`);
  }
  const mappings = changedVectors({ properties: withField({}, field, stored) }, [{ embedding_field: field, vectors }]);
  const meta = isObject(source.mappings._meta) ? (source.mappings._meta.relevance as IndexMeta | undefined) : undefined;
  const relevance: IndexMeta = { embeddings: meta?.embeddings ?? {}, entry };
  const index = {
    knn: true,
    number_of_replicas: 0,
    number_of_shards: source.settings["index.number_of_shards"] ?? "1",
  };
  return {
    body: { settings: { index }, mappings: { ...mappings, dynamic: false, _meta: { relevance } } },
    toBytes: vectors === "byte" && before !== "byte",
  };
}
