import type { ClientRequest, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { ClientConnection, ConnectionClass } from "./client-parts.ts";

/** What happened on the wire during one call, which the client's own errors do not tell. */
export interface Trace {
  /** Whether the request may have reached the cluster: its socket was connected. */
  sent: boolean;
  /** Node's error code, `ECONNREFUSED` or `ECONNRESET`. */
  code?: string;
}

/**
 * An idle socket older than this, in milliseconds, is closed instead of used: a function that was frozen wakes up with
 * sockets that the other side has long closed, and a write lost on one of them has an unknown outcome.
 */
const MAX_IDLE_MS = 20_000;

const idleSince = new WeakMap<Socket, number>();

/**
 * Statuses after which the server may not read what follows on the connection: after a header or a URL over its limit
 * OpenSearch answers 400 and ignores every later request.
 */
const ENDS_CONNECTION = new Set([400, 413, 431]);

/** Extends a connection class: it fills in the `trace` of a call, and sends no content type where the call has none. */
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
      // The transport calls every body without a type JSON. Before the signer, which signs the headers.
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
