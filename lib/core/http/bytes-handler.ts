import { readBody } from "./body.ts";
import type { Call, ProxyEvent, ProxyHandler, Reply } from "./event.ts";
import type { ApiOptions } from "./middleware.ts";
import { plainHandler } from "./plain-handler.ts";

/** A request with a body of any format: its bytes, with the content encoding decoded. */
export interface BytesCall extends Call {
  bytes: Buffer;
}

/** Returns the handler of an endpoint that reads its body. `splitHint` says what to do when the body is too long. */
export function bytesHandler(
  api: ApiOptions,
  handle: (event: ProxyEvent, call: BytesCall) => Promise<Reply>,
  splitHint?: string,
): ProxyHandler {
  return plainHandler(api, async (event, call) => {
    const bytes = await readBody(event, splitHint);
    // Frees up to 5.6 MB of base64 while the request is handled.
    event.body = null;
    return handle(event, { ...call, bytes });
  });
}
