import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { Connection, Transport } from "@opensearch-project/opensearch";
import type { TransportRequestOptions } from "@opensearch-project/opensearch/lib/Transport.js";
import { ClusterFailure } from "./cluster.ts";
import { type Connections, limitReuse, type RequestOnConnection } from "./connections.ts";

/** The client's connection class for a node. One that signs calls is a subclass of it. */
export type ConnectionClass = typeof Connection;

type Params = Parameters<Connection["request"]>[0];
type Callback = Parameters<Connection["request"]>[1];

/** A call as the connection sends it. */
interface Outgoing {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | undefined;
  timeout: number;
  extraHeadersToIgnore?: Readonly<Record<string, true>>;
}

/** An answer that has been read to its end, as the transport passes it on. */
export interface WholeAnswer extends IncomingMessage {
  bytes: Buffer;
}

/** A body without content type: the signer would declare it to be a form, sign that header, and send it. */
const UNTYPED: Pick<Outgoing, "extraHeadersToIgnore"> = { extraHeadersToIgnore: { "content-type": true } };

/** A call as the transport gives it to the connection; `auth` has the credentials to sign it with. */
interface TransportCall extends Omit<Outgoing, "extraHeadersToIgnore"> {
  querystring: string;
  auth?: object | undefined;
}

/**
 * The client's transport for calls that are sent once and as they are. The client's own prepares each call for retries,
 * events, the health of nodes and serialization, which the gateway does elsewhere or leaves out (decision 65).
 */
export class ClusterTransport extends Transport {
  /** Sends a call, and returns the whole answer as `body`, as the client's own does with `asStream`. */
  override request(params: object, { headers, requestTimeout: timeout }: TransportRequestOptions = {}): never {
    const [connection] = this.connectionPool.connections as [Connection];
    const { body } = params as TransportCall;
    const length = body?.length && { "content-length": String(Buffer.byteLength(body)) };
    const call = { ...params, headers: { ...headers, ...length }, timeout };
    return new Promise((resolve, reject) => {
      connection.request(call as unknown as Params, (error, answer) =>
        error ? reject(error) : resolve({ statusCode: answer?.statusCode, body: answer }),
      );
    }) as never;
  }
}

/** Methods that send no content-length if there is no body. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE"]);

/**
 * Returns the client's connection class, or a signing one, with these changes: it distinguishes a refused from a broken
 * connection, limits time and size of the whole answer, and returns the answer's raw bytes. The client's own class
 * stops its timeout at the first byte, and reports every failure alike.
 */
export function clusterConnection(Base: ConnectionClass, maxAnswerBytes: number): ConnectionClass {
  const signs = Base !== Connection;
  return class ClusterConnection extends Base {
    override request(params: Params, callback: Callback): ClientRequest {
      const call = params as unknown as TransportCall;
      const built = signs ? this.buildRequestObject(signable(call)) : { ...call, path: this.#pathOf(call) };
      const route = { agent: this.agent as Connections, host: this.#host, maxAnswerBytes };
      return exchange(built as unknown as Outgoing, route, callback);
    }

    // The getters of a URL compute their values anew.
    readonly #host = this.url.host;
    readonly #prefix = this.url.pathname.replace(/\/$/, "");

    #pathOf({ path, querystring }: TransportCall): string {
      return `${this.#prefix}${path}${querystring && `?${querystring}`}`;
    }
  };
}

const signable = (call: TransportCall): Params =>
  ({
    ...call,
    ...(call.body !== undefined &&
      call.headers["content-type"] === undefined && {
        headers: { ...call.headers, "content-type": "application/json" },
        ...UNTYPED,
      }),
  }) as unknown as Params;

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
