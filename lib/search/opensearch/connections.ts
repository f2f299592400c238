import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";

/** What happened on the connection during one call. */
export interface Trace {
  /** Whether the request may have reached the cluster: its socket was connected. */
  sent: boolean;
}

/** The most simultaneous connections of one function instance, which handles one event at a time. */
const MAX_SOCKETS = 64;

/**
 * Sockets that were idle for longer than this, in milliseconds, are closed instead of used. A function that was frozen
 * resumes with sockets that the other side has closed, and a write lost on one of them has an unknown outcome.
 */
const MAX_IDLE_MS = 20_000;

/** Milliseconds between two checks of the idle sockets, so that not every call pays for one. */
const CHECK_EVERY_MS = 1_000;

/**
 * Statuses after which a connection is not reused. When a header or a URL exceeds its limit, OpenSearch answers 400 and
 * ignores every later request on the connection.
 */
const ENDS_CONNECTION = new Set([400, 413, 431]);

/** Starts an HTTP request on a connection to one node, and returns it unsent with a trace that follows it. */
export type OpenRequest = (
  options: Pick<RequestOptions, "method" | "path" | "headers">,
) => Readonly<{ call: ClientRequest; trace: Trace }>;

/** Returns a function that starts requests to the node over connections that are kept open. */
export function connectionsTo(node: string): OpenRequest {
  const { protocol, hostname, port } = urlToHttpOptions(new URL(node));
  const secure = protocol === "https:";
  const settings = {
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    maxFreeSockets: MAX_SOCKETS,
    scheduling: "lifo",
  } as const;
  const agent = secure ? new HttpsAgent(settings) : new HttpAgent(settings);
  const request = secure ? httpsRequest : httpRequest;
  const idleSince = new WeakMap<Socket, number>();
  agent.on("free", (socket: Socket) => idleSince.set(socket, performance.now()));

  let nextCheck = 0;
  const closeStaleSockets = () => {
    const now = performance.now();
    if (now < nextCheck) return;
    nextCheck = now + CHECK_EVERY_MS;
    const oldest = now - MAX_IDLE_MS;
    for (const sockets of Object.values(agent.freeSockets)) {
      for (const socket of sockets ?? []) {
        if ((idleSince.get(socket) ?? Number.POSITIVE_INFINITY) < oldest) socket.destroy();
      }
    }
  };

  return (options) => {
    closeStaleSockets();
    const call = request({ ...options, protocol, hostname, port, agent });
    const trace: Trace = { sent: false };
    call.once("socket", (socket) => {
      if (!socket.connecting) trace.sent = true;
      else socket.once(secure ? "secureConnect" : "connect", () => (trace.sent = true));
    });
    call.once("response", ({ statusCode = 0 }) => {
      if (ENDS_CONNECTION.has(statusCode)) call.shouldKeepAlive = false;
    });
    return { call, trace };
  };
}
