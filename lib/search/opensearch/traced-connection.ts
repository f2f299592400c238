import type { ClientRequest, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { ClientConnection, ConnectionClass } from "./client-parts.ts";

/** What happened on the wire during one call; the client's own errors do not say. */
export interface Trace {
  /** Whether the request may have reached the cluster: its socket was connected. */
  sent: boolean;
  /** Node's error code, `ECONNREFUSED` or `ECONNRESET`. */
  code?: string;
}

/**
 * A kept-alive socket that has been idle for longer is closed and not used: a frozen function wakes up with sockets
 * that the other side has long closed, and a write lost on one has an unknown outcome.
 */
const MAX_IDLE_MS = 20_000;

const idleSince = new WeakMap<Socket, number>();

/** The same connection class, filling in the `trace` of the call's parameters. */
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
        return call;
      };
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
