import { createHash } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

/** Embeddings of a text. */
export interface TextEmbeddings {
  /** A unit vector. */
  dense: number[];
  /** Token ids and their weights. */
  sparse: [ids: number[], weights: number[]];
}

/** Rounded embeddings: components and weights are bytes, in parts of the largest. */
interface Rounded {
  /** Base64 of signed bytes. The vector has length 1, so it needs no scale. */
  dense: string;
  /** Base64 of 16-bit ids, of bytes, and the weight of 255. */
  sparse: [ids: string, weights: string, largest: number];
}

interface StoredFile {
  /** Identifies the models. */
  models: string;
  /** By hash of the text. */
  texts: Record<string, Rounded>;
}

const keyOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 16);
const base64 = (numbers: Int8Array | Uint8Array | Uint16Array) => Buffer.from(numbers.buffer).toString("base64");
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

/** Returns the content of a file of embeddings, with the models that computed them. */
export function writeStored(models: string, embeddings: ReadonlyMap<string, TextEmbeddings>): Buffer {
  const texts = Object.fromEntries(
    [...embeddings].map(([text, { dense, sparse }]): [string, Rounded] => {
      const [ids, weights] = sparse;
      const [longest, largest] = [Math.max(...dense.map(Math.abs)), Math.max(0, ...weights)];
      const parts = Uint8Array.from(weights, (weight) => Math.round((weight / largest) * 255));
      return [
        keyOf(text),
        {
          dense: base64(Int8Array.from(dense, (value) => Math.round((value / longest) * 127))),
          sparse: [base64(Uint16Array.from(ids)), base64(parts), Number(largest.toFixed(6))],
        },
      ];
    }),
  );
  return brotliCompressSync(JSON.stringify({ models, texts } satisfies StoredFile));
}

/** Returns the embeddings of a text in a file's content. Undefined for other texts, and if other models computed them. */
export function readStored(content: Buffer, models: string): (text: string) => TextEmbeddings | undefined {
  const file: StoredFile = JSON.parse(brotliDecompressSync(content).toString());
  return (text) => {
    const stored = file.models === models ? file.texts[keyOf(text)] : undefined;
    if (!stored) return undefined;
    const dense = [...new Int8Array(bytesOf(stored.dense).buffer)];
    const length = Math.hypot(...dense);
    const [ids, parts, largest] = stored.sparse;
    const weights = Array.from(bytesOf(parts), (part) => (part / 255) * largest);
    return {
      dense: dense.map((value) => value / length),
      sparse: [[...new Uint16Array(bytesOf(ids).buffer)], weights],
    };
  };
}
