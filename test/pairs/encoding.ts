import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;

/** Returns a request's body in an encoding, with its header. */
export function encoded(
  body: string,
  encoding: "identity" | keyof typeof ENCODERS,
): { body: Uint8Array; headers: Record<string, string> } {
  const bytes = Buffer.from(body);
  if (encoding === "identity") return { body: bytes, headers: {} };
  return { body: ENCODERS[encoding](bytes), headers: { "content-encoding": encoding } };
}
