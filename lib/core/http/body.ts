import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { BACKSLASH } from "../json/characters.ts";
import { ApiError } from "./error.ts";
import { headerOf, type ProxyEvent } from "./event.ts";
import { MAX_BODY_BYTES } from "./limits.ts";

/** Decodes a content encoding. Rejects with ERR_BUFFER_TOO_LARGE before it makes more than `maxOutputLength` bytes. */
type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** Formats of the search cluster that are not text. */
const BINARY_TYPE = /^\s*application\/(?:cbor|smile|vnd\.opensearch\+(?:cbor|smile)|octet-stream)\b/i;

/**
 * Returns the bytes of a request's body, with its content encoding decoded. Requires text to be valid Unicode: invalid
 * characters would be stored as replacement characters, so that two ids could become one.
 *
 * Throws `payload_too_large` above {@link MAX_BODY_BYTES}, encoded or not; `unsupported_media_type` for an unknown
 * encoding; `invalid_request` for a damaged encoding and for invalid text.
 */
export async function readBody(event: ProxyEvent, splitHint = "Send less at a time."): Promise<Buffer> {
  const encoded = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (encoded.length > MAX_BODY_BYTES) throw tooLarge(`has ${encoded.length} bytes`, splitHint);
  const bytes = await decode(encoded, headerOf(event, "content-encoding"), splitHint);
  if (!BINARY_TYPE.test(headerOf(event, "content-type") ?? "")) requireUnicode(bytes);
  return bytes;
}

async function decode(encoded: Buffer, header = "identity", splitHint: string): Promise<Buffer> {
  const encoding = header.trim().toLowerCase();
  if (encoding === "identity" || encoding === "" || encoded.length === 0) return encoded;
  const decoder = DECODERS.get(encoding);
  if (!decoder) {
    const supported = "gzip, deflate, br";
    throw new ApiError(
      "unsupported_media_type",
      `The content encoding ${JSON.stringify(header.slice(0, 100))} is not supported; use ${supported} or none.`,
      { headers: { "accept-encoding": supported } },
    );
  }
  try {
    return await decoder(encoded, { maxOutputLength: MAX_BODY_BYTES });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge("is larger once decoded", splitHint);
    throw new ApiError("invalid_request", `The body is not valid ${encoding}: ${message}.`, { cause });
  }
}

const tooLarge = (how: string, splitHint: string) =>
  new ApiError(
    "payload_too_large",
    `The body ${how}, at most ${MAX_BODY_BYTES} are accepted. ${splitHint} Nothing has been written.`,
  );

function requireUnicode(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ApiError("invalid_request", "The body is not valid UTF-8.");
  // Few bodies contain the escape of a surrogate, so few are scanned. A byte is found faster than a text.
  if (!bytes.includes(BACKSLASH) || (!bytes.includes("\\ud") && !bytes.includes("\\uD"))) return;
  // Escapes are ASCII, so latin1 suffices, and it keeps byte positions.
  for (const { index, groups } of bytes.toString("latin1").matchAll(ESCAPE)) {
    if (groups?.lone === undefined) continue;
    throw new ApiError(
      "invalid_request",
      `The body holds \\${groups.lone} at byte ${index}, half of a surrogate pair, which is not a character.`,
    );
  }
}

/** One escape of a JSON string; `lone` is an unpaired surrogate. Matches in linear time: each match is a new escape. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(?<lone>ud[89a-f][\da-f]{2})|[\s\S])/gi;
