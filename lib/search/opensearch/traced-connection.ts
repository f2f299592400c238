import type { ClientRequest, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { ClientConnection, ConnectionClass } from "./client-parts.ts";

/** What happened on the connection during one call, which the client's own errors do not report. */
export interface Trace {
  /** Whether the request may have reached the cluster: its socket was connected. */
  sent: boolean;
  /** Node's error code, such as `ECONNREFUSED` or `ECONNRESET`. */
  code?: string;
}

/**
 * Sockets that were idle for longer than this, in milliseconds, are closed instead of used. A function that was frozen
 * resumes with sockets that the other side has closed, and a write lost on one of them has an unknown outcome.
 */
const MAX_IDLE_MS = 20_000;

const idleSince = new WeakMap<Socket, number>();

/**
 * Statuses after which a connection is not reused. When a header or a URL exceeds its limit, OpenSearch answers 400 and
 * ignores every later request on the connection.
 */
const ENDS_CONNECTION = new Set([400, 413, 431]);

/** Extends a connection class to fill in the `trace` of each call, and to send no content type if the call has none. */
export function traced(Base: ConnectionClass): ConnectionClass {
  return class TracedConnection extends Base {
    constructor(options: object) {
      super(options);
      const makeRequest = this.makeRequest;
      this.agent.on("free", (socket: Socket) => idleSince.set(socket, performance.now()));
      this.makeRequest = (request: RequestOptions & { trace?: Trace }) => {
        closeStaleSockets(this.agent);
        const call = makeRequest(request);
        if (request.trace) watch(call, request.trace);
        call.once("response", ({ statusCode = 0 }) => {
          if (ENDS_CONNECTION.has(statusCode)) call.shouldKeepAlive = false;
        });
        return call;
      };
    }

    override buildRequestObject(params: { headers: Record<string, unknown>; untyped?: boolean }): RequestOptions {
      // The transport declares every body without a type as JSON. This runs before the signer signs the headers.
      if (params.untyped) delete params.headers["content-type"];
      return super.buildRequestObject(params);
    }
  };
}

function watch(call: ClientRequest, trace: Trace): void {
  call.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== undefined) trace.code = error.code;
  });
  call.once("socket", (socket) => {
    if (!socket.connecting) trace.sent = true;
    else socket.once(call.protocol === "https:" ? "secureConnect" : "connect", () => (trace.sent = true));
  });
}

function closeStaleSockets(agent: ClientConnection["agent"]): void {
  const oldest = performance.now() - MAX_IDLE_MS;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) {
      if ((idleSince.get(socket) ?? Number.POSITIVE_INFINITY) < oldest) socket.destroy();
    }
  }
}
