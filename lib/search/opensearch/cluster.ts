import { request as httpRequest, type IncomingMessage } from "node:http";
import type { ClusterAuth, SignableCall } from "./auth.ts";
import { Connections, limitReuse, type RequestOnConnection } from "./connections.ts";

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

/**
 * Returns a cluster that is called over HTTP with Node's own client: the OpenSearch client would be 67 kB to load at
 * every cold start, and its retries repeat writes.
 */
export function createCluster({ node, auth, maxAnswerBytes = MAX_ANSWER_BYTES }: ClusterOptions): Cluster {
  const agent = new Connections(node);
  const { hostname, host } = new URL(node);

  const exchange = (call: Outgoing, timeoutMs: number): Promise<ClusterAnswer> =>
    new Promise((resolve, reject) => {
      const { method, target: path, headers } = call;
      const request: RequestOnConnection = httpRequest({ agent, method, path, headers: flat(headers) });
      const sent = () => request.carrier?.connected === true;
      const timer = setTimeout(() => {
        fail(new ClusterFailure("timeout", sent(), `no answer within ${Math.round(timeoutMs)} ms`));
      }, timeoutMs);
      const fail = (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof ClusterFailure ? error : brokenOff(error, sent()));
        request.destroy();
      };
      request.on("error", fail);
      request.once("response", (stream) => {
        limitReuse(request, stream);
        const done = (body: Buffer) => {
          clearTimeout(timer);
          resolve({ status: stream.statusCode ?? 0, headers: stream.headers, body });
        };
        readBody(stream, maxAnswerBytes, done, fail);
      });
      request.end(call.body);
    });

  /** Returns the answer, and the credentials that it was asked with. */
  const once = async (request: ClusterRequest, timeoutMs: number) => {
    const { method, path, query, headers, body } = request;
    const call: Outgoing = {
      method,
      hostname,
      target: query ? `${path}?${query}` : path,
      headers: { host, "user-agent": "relevance", ...headers },
    };
    if (body?.length) call.body = body;
    if (body?.length || !WITHOUT_BODY.has(method))
      call.headers["content-length"] = String(Buffer.byteLength(body ?? ""));
    const credentials = (await auth.headers?.(call)) ?? {};
    Object.assign(call.headers, credentials);
    return { answer: await exchange(call, timeoutMs), credentials };
  };

  return {
    async send(request, timeoutMs) {
      const { answer, credentials } = await once(request, timeoutMs);
      if (answer.status !== 401 || !auth.renew || !(await auth.renew(credentials))) return answer;
      // The cluster answers 401 before it executes anything, so any call may be resent with a rotated secret.
      return (await once(request, timeoutMs)).answer;
    },
  };
}

/** Methods whose requests say nothing about a body if they have none. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE"]);

interface Outgoing extends SignableCall {
  headers: Record<string, string>;
}

/** Flattens headers to [name, value, …], which `node:http` writes as they are. */
function flat(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] as string);
  return list;
}

function brokenOff(error: unknown, sent: boolean): ClusterFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  const detail = code ?? message;
  return sent
    ? new ClusterFailure("lost", true, `the connection ended before the answer did (${detail})`, { cause: error })
    : new ClusterFailure("refused", false, `no connection to the cluster (${detail})`, { cause: error });
}

/**
 * Reads an answer to its end, then calls `done` or `fail`. Fails with ClusterFailure: `too_large`, and `lost` for a
 * compressed answer: no call asks for one, so whatever compressed it may have changed it too.
 */
function readBody(
  stream: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  fail: (error: unknown) => void,
): void {
  const encoding = stream.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    fail(new ClusterFailure("lost", true, `the answer has the encoding ${encoding}, which was not asked for`));
    return;
  }
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
