import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError } from "./error.ts";
import type { ProxyResult, Reply } from "./event.ts";
import { GZIP_ABOVE_BYTES, MAX_RESULT_BYTES } from "./limits.ts";

const compress = promisify(gzip);

/** Escaping makes a JSON body at most six times as long, so this much surely fits. */
const SURELY_FITS_BYTES = 1_000_000;

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * The proxy result of a reply: compressed when it is long and the caller accepts gzip, in base64 when its bytes are
 * not text. Throws `response_too_large` when its serialized form would pass Lambda's limit.
 */
export async function finish(reply: Reply, acceptEncoding: string | undefined): Promise<ProxyResult> {
  const headers: Record<string, string> = { "content-type": JSON_TYPE, ...reply.headers };
  const bytes = typeof reply.body === "string" ? Buffer.byteLength(reply.body) : reply.body.length;
  if (bytes > GZIP_ABOVE_BYTES && acceptsGzip(acceptEncoding) && headers["content-encoding"] === undefined) {
    headers["content-encoding"] = "gzip";
    headers.vary = "accept-encoding";
    const body = (await compress(reply.body)).toString("base64");
    return fitting({ statusCode: reply.status, headers, body, isBase64Encoded: true });
  }
  if (typeof reply.body === "string") {
    return fitting({ statusCode: reply.status, headers, body: reply.body, isBase64Encoded: false });
  }
  const text = isText(reply.body, headers);
  const body = reply.body.toString(text ? "utf8" : "base64");
  return fitting({ statusCode: reply.status, headers, body, isBase64Encoded: !text });
}

/** Whether a result can be handed over by Lambda. */
function fitting(result: ProxyResult): ProxyResult {
  if (result.body.length <= SURELY_FITS_BYTES) return result;
  const size = Buffer.byteLength(JSON.stringify(result));
  if (size <= MAX_RESULT_BYTES) return result;
  throw new ApiError(
    "response_too_large",
    `The answer would take ${size} bytes, at most ${MAX_RESULT_BYTES} can be handed over. ` +
      "Ask for less at a time, or send accept-encoding: gzip.",
  );
}

function isText(bytes: Buffer, headers: Record<string, string>): boolean {
  return headers["content-encoding"] === undefined && isUtf8(bytes);
}

function acceptsGzip(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => {
    const [name, quality] = part.trim().split(/\s*;\s*q=/i);
    return (name === "gzip" || name === "*") && Number(quality ?? 1) > 0;
  });
}
