import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import type { Connection } from "@opensearch-project/opensearch";
import { ClusterFailure } from "./cluster.ts";
import { type Connections, limitReuse, type RequestOnConnection } from "./connections.ts";

/** The client's connection class for a node. One that signs calls is a subclass of it. */
export type ConnectionClass = typeof Connection;

type Params = Parameters<Connection["request"]>[0];
type Callback = Parameters<Connection["request"]>[1];

/** Options of a request: the client's and ours. */
interface Outgoing {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  timeout: number;
  extraHeadersToIgnore?: Readonly<Record<string, true>>;
}

/** An answer that has been read to its end, as the transport passes it on. */
export interface WholeAnswer extends IncomingMessage {
  bytes: Buffer;
}

/**
 * Marks a body without content type. The transport declares every body to be JSON; the connection removes that header,
 * and the signer does not sign it.
 */
export const UNTYPED: Pick<Outgoing, "extraHeadersToIgnore"> = { extraHeadersToIgnore: { "content-type": true } };

/** Methods that send no content-length if there is no body. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE"]);

/**
 * Returns the client's connection class, or a signing one, with these changes: it distinguishes a refused from a broken
 * connection, limits time and size of the whole answer, and returns the answer's raw bytes. The client's own class
 * stops its timeout at the first byte, and reports every failure alike.
 */
export function clusterConnection(Base: ConnectionClass, maxAnswerBytes: number): ConnectionClass {
  return class ClusterConnection extends Base {
    override request(params: Params, callback: Callback): ClientRequest {
      const call = this.buildRequestObject(params) as unknown as Outgoing;
      return exchange(call, { agent: this.agent as Connections, host: this.url.host, maxAnswerBytes }, callback);
    }
  };
}

interface Route {
  agent: Connections;
  host: string;
  maxAnswerBytes: number;
}

function exchange(call: Outgoing, { agent, host, maxAnswerBytes }: Route, callback: Callback): ClientRequest {
  const { method, path, body, timeout } = call;
  const request: RequestOnConnection = httpRequest({ agent, method, path, headers: flat(call, host) });
  const sent = () => request.carrier?.connected === true;
  let ended = false;
  const end = () => {
    clearTimeout(timer);
    const first = !ended;
    ended = true;
    return first;
  };
  const fail = (error: unknown) => {
    if (end()) callback(error instanceof ClusterFailure ? error : brokenOff(error, sent()), null);
    request.destroy();
  };
  const timer = setTimeout(() => {
    fail(new ClusterFailure("timeout", sent(), `no answer within ${Math.round(timeout)} ms`));
  }, timeout);
  request.on("error", fail);
  request.once("response", (stream) => {
    limitReuse(request, stream);
    const done = (bytes: Buffer) => {
      if (end()) callback(null, Object.assign(stream, { bytes }) satisfies WholeAnswer);
    };
    readBody(stream, maxAnswerBytes, done, fail);
  });
  request.end(body || undefined);
  return request;
}

/** Returns names and values alternately, which `node:http` writes unchanged without a header table. */
function flat({ method, headers, body, extraHeadersToIgnore = {} }: Outgoing, host: string): string[] {
  const list = headers.host === undefined ? ["host", host] : [];
  for (const name in headers) {
    if (!(name in extraHeadersToIgnore)) list.push(name, headers[name] as string);
  }
  if (!body && !WITHOUT_BODY.has(method)) list.push("content-length", "0");
  return list;
}

function brokenOff(error: unknown, sent: boolean): ClusterFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  const detail = code ?? message;
  return sent
    ? new ClusterFailure("lost", true, `the connection ended before the answer did (${detail})`, { cause: error })
    : new ClusterFailure("refused", false, `no connection to the cluster (${detail})`, { cause: error });
}

/** Reads an answer to its end, then calls `done`; on failure calls `fail` with the error. */
function readBody(
  stream: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  fail: (error: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else fail(new ClusterFailure("too_large", true, `the answer is longer than ${limit} bytes`));
  });
  stream.on("error", fail);
  // Also emitted without "end", when the connection was lost or the call timed out.
  stream.on("close", () => {
    if (!stream.complete) fail(new ClusterFailure("lost", true, "the answer was cut off"));
    else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
  });
}
