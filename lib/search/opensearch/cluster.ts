import type { IncomingMessage } from "node:http";
import type { AuthHeaders, ClusterAuth } from "./auth.ts";
import { ClientConnection, ClientSerializer, ClientTransport, ConnectionPool } from "./client-parts.ts";
import { type Trace, traced } from "./traced-connection.ts";

/** One HTTP call to the cluster. `path` is encoded and starts with a slash, `query` is encoded without `?`. */
export interface ClusterRequest {
  method: string;
  path: string;
  query?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

export interface ClusterAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/**
 * Why a call has no answer.
 * - `refused`: no connection was made, so nothing was sent;
 * - `lost`: the connection ended after the request may have been sent, so the outcome is unknown;
 * - `timeout`: the call timed out; `sent` says whether the outcome is unknown;
 * - `too_large`: the answer exceeded the limit and was cut off; the cluster has executed the call.
 */
export type FailureKind = "refused" | "lost" | "timeout" | "too_large";

export class ClusterFailure extends Error {
  override name = "ClusterFailure";
  readonly kind: FailureKind;
  readonly sent: boolean;

  constructor(kind: FailureKind, sent: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.sent = sent;
  }
}

/** The search cluster. It does not retry, since only the caller knows whether a call may be repeated (`calls.ts`). */
export interface Cluster {
  /** Sends one request and reads the whole answer, whatever its status. Throws ClusterFailure. */
  send(request: ClusterRequest, timeoutMs: number): Promise<ClusterAnswer>;
}

export interface ClusterOptions {
  /** `https://vpc-….es.amazonaws.com`, without a path. */
  node: string;
  auth: ClusterAuth;
  /** Answers longer than this many bytes are cut off. */
  maxAnswerBytes?: number;
}

/** Bounds the memory of one call. Few answers that Lambda can return (6 MiB, compressed) are longer than this. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

/** The most simultaneous connections of one function instance, which handles one event at a time. */
const MAX_SOCKETS = 64;

/**
 * Returns a cluster that uses the transport of the OpenSearch client, without its API methods (250 kB to load at every
 * cold start) and without its retries, which repeat writes.
 */
export function createCluster({ node, auth, maxAnswerBytes = MAX_ANSWER_BYTES }: ClusterOptions): Cluster {
  const signer = auth.signer?.();
  const pool = new ConnectionPool({
    Connection: traced(signer?.Connection ?? ClientConnection),
    agent: { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_SOCKETS },
  });
  pool.addConnection(node);
  const transport = new (signer?.Transport ?? ClientTransport)({
    emit: () => false,
    connectionPool: pool,
    serializer: new ClientSerializer(),
    maxRetries: 0,
    requestTimeout: 60_000,
    headers: { "user-agent": "relevance" },
  });

  const once = async (request: ClusterRequest, timeoutMs: number, auth: AuthHeaders): Promise<ClusterAnswer> => {
    const { method, path, query = "", headers = {}, body } = request;
    const untyped = headers["content-type"] === undefined;
    const trace: Trace = { sent: false };
    let timedOut = false;
    let stream: IncomingMessage | undefined;
    const call = transport.request(
      { method, path, querystring: query, trace, untyped, ...(body !== undefined && { body }) },
      { asStream: true, headers: { ...headers, ...auth } },
    );
    const timer = setTimeout(() => {
      timedOut = true;
      call.abort();
      stream?.destroy();
    }, timeoutMs);
    try {
      const answer = await call;
      stream = answer.body;
      requirePlain(answer.headers["content-encoding"]);
      return { status: answer.statusCode, headers: answer.headers, body: await readBody(stream, maxAnswerBytes) };
    } catch (error) {
      if (error instanceof ClusterFailure && !timedOut) throw error;
      const detail = trace.code ?? (error instanceof Error ? error.message : String(error));
      if (timedOut) {
        throw new ClusterFailure("timeout", trace.sent, `no answer within ${Math.round(timeoutMs)} ms`);
      }
      throw trace.sent
        ? new ClusterFailure("lost", true, `the connection ended before the answer did (${detail})`, { cause: error })
        : new ClusterFailure("refused", false, `no connection to the cluster (${detail})`, { cause: error });
    } finally {
      // Without effect on an answer that was read to its end.
      stream?.destroy();
      clearTimeout(timer);
    }
  };

  return {
    async send(request, timeoutMs) {
      const headers = (await auth.headers?.()) ?? {};
      const answer = await once(request, timeoutMs, headers);
      if (answer.status !== 401 || !auth.renew || !(await auth.renew(headers))) return answer;
      // The cluster answers 401 before it executes anything, so any call may be resent with a rotated secret.
      return once(request, timeoutMs, (await auth.headers?.()) ?? {});
    },
  };
}

/** Throws `lost` for a compressed answer. No call asks for one, so whatever compressed it may have changed it too. */
function requirePlain(encoding: unknown): void {
  if (encoding === undefined || encoding === "identity") return;
  throw new ClusterFailure("lost", true, `the answer has the encoding ${encoding}, which was not asked for`);
}

function readBody(stream: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        reject(new ClusterFailure("too_large", true, `the answer is longer than ${limit} bytes`));
        stream.destroy();
      }
    });
    stream.on("error", reject);
    // Also emitted without "end", when the connection was lost or the call timed out.
    stream.on("close", () => {
      if (!stream.complete) reject(new ClusterFailure("lost", true, "the answer was cut off"));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    });
  });
}
