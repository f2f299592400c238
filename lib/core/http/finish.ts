import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError } from "./error.ts";
import type { ProxyResult, Reply } from "./event.ts";
import { GZIP_ABOVE_BYTES, MAX_RESULT_BYTES } from "./limits.ts";

const compress = promisify(gzip);

/**
 * Sizes that certainly fit. Measuring larger ones takes 5 ms per megabyte. Escaping makes JSON at most twice as long
 * (quotes, backslashes and line ends), and any other text at most six times (control characters).
 */
const SURELY_FITS = { json: 3_000_000, text: 1_000_000 };

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Returns the proxy result of a reply: compressed when it is long and the caller accepts gzip, in base64 when its bytes
 * are not text. Throws `response_too_large` when its serialized form would pass Lambda's limit.
 */
export async function finish(reply: Reply, acceptEncoding: string | undefined): Promise<ProxyResult> {
  const headers: Record<string, string> = { "content-type": JSON_TYPE, ...reply.headers };
  const bytes = typeof reply.body === "string" ? Buffer.byteLength(reply.body) : reply.body.length;
  if (bytes > GZIP_ABOVE_BYTES && acceptsGzip(acceptEncoding) && headers["content-encoding"] === undefined) {
    headers["content-encoding"] = "gzip";
    headers.vary = "accept-encoding";
    const body = (await compress(reply.body)).toString("base64");
    return fitting({ statusCode: reply.status, headers, body, isBase64Encoded: true }, SURELY_FITS.json);
  }
  if (typeof reply.body === "string") {
    const result = { statusCode: reply.status, headers, body: reply.body, isBase64Encoded: false };
    return bytes <= SURELY_FITS.json ? result : fitting(result, 0);
  }
  const text = isText(reply.body, headers);
  const body = reply.body.toString(text ? "utf8" : "base64");
  return fitting({ statusCode: reply.status, headers, body, isBase64Encoded: !text }, SURELY_FITS.text);
}

/** Returns the result if Lambda can return it. Bodies of up to `surely` characters are not measured. */
function fitting(result: ProxyResult, surely: number): ProxyResult {
  if (result.body.length <= surely) return result;
  const size = Buffer.byteLength(JSON.stringify(result));
  if (size <= MAX_RESULT_BYTES) return result;
  throw new ApiError(
    "response_too_large",
    `The request was executed, but its answer would take ${size} bytes; at most ${MAX_RESULT_BYTES} can be returned. ` +
      "Ask for less at a time, or send accept-encoding: gzip.",
    { cause: `a result of ${size} bytes` },
  );
}

function isText(bytes: Buffer, headers: Record<string, string>): boolean {
  return headers["content-encoding"] === undefined && isUtf8(bytes);
}

function acceptsGzip(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => {
    const [name, quality = "q=1"] = part.split(";").map((piece) => piece.trim());
    return (name === "gzip" || name === "*") && Number(quality.slice("q=".length)) > 0;
  });
}
