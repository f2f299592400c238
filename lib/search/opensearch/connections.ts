import { Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";

/** The most simultaneous connections of one function instance, which handles one event at a time. */
const MAX_SOCKETS = 64;

/**
 * Sockets that were idle for longer than this, in milliseconds, are closed instead of used. A function that was frozen
 * resumes with sockets that the other side has closed, and a write lost on one of them has an unknown outcome.
 */
const MAX_IDLE_MS = 20_000;

/** Idle timeout of the server in seconds, from its header `keep-alive`. */
const KEPT_OPEN = /^timeout=(\d+)/;

/** Subtracted from that timeout, because a request takes time to arrive. */
const MARGIN_MS = 1_000;

/** Milliseconds of idleness after which the operating system checks whether the other side is still there. */
const TCP_KEEP_ALIVE_MS = 1_000;

/**
 * Statuses after which a connection is not reused. When a header or a URL exceeds its limit, OpenSearch answers 400 and
 * ignores every later request on the connection.
 */
const ENDS_CONNECTION = new Set([400, 413, 431]);

interface Connection {
  readonly socket: Socket;
  /** Whether the connection was established, so that a request may have reached the cluster. */
  connected: boolean;
  /** Its idle timeout, and when that ends on the clock of `performance.now()`. */
  maxIdleMs: number;
  usableUntil: number;
}

/** A request with its connection, once it has one. */
export interface RequestOnConnection extends ClientRequest {
  carrier?: Connection;
}

/** Ends the connection after this answer, or limits how long it may be idle, if the answer requires that. */
export function limitReuse(request: RequestOnConnection, { statusCode = 0, headers }: IncomingMessage): void {
  if (ENDS_CONNECTION.has(statusCode)) request.shouldKeepAlive = false;
  const announced = headers["keep-alive"];
  const [, seconds] = announced === undefined ? [] : (KEPT_OPEN.exec(String(announced)) ?? []);
  if (seconds === undefined || !request.carrier) return;
  request.carrier.maxIdleMs = Math.min(MAX_IDLE_MS, Number(seconds) * 1_000 - MARGIN_MS);
}

/**
 * Connections to one node that are kept open, as an agent of `node:http`. Node's own agent copies its options and those
 * of each call several times, which takes a quarter of the processor time of a call.
 */
export class Connections extends Agent {
  readonly #open: () => Socket;
  readonly #connected: "connect" | "secureConnect";
  /** Idle connections, most recently used last. The last one is used next. */
  readonly #idle: Connection[] = [];
  /** Requests that wait for a connection. An aborted one returns its connection unused. */
  readonly #waiting: RequestOnConnection[] = [];
  #opened = 0;

  constructor(node: string) {
    super({ keepAlive: true });
    const { protocol, hostname, port } = new URL(node);
    const host = hostname.replace(/^\[|\]$/g, "");
    const secure = protocol === "https:";
    this.#open = secure ? opener(host, Number(port || 443)) : () => connect({ host, port: Number(port || 80) });
    this.#connected = secure ? "secureConnect" : "connect";
  }

  /** Called by `node:http` for each request that needs a socket. */
  addRequest(request: RequestOnConnection): void {
    const now = performance.now();
    while (this.#idle[0] && this.#idle[0].usableUntil <= now) this.#idle.shift()?.socket.destroy();
    let connection = this.#idle.pop();
    while (connection && !connection.socket.writable) connection = this.#idle.pop();
    if (connection) this.#use(connection, request);
    else if (this.#opened < MAX_SOCKETS) this.#connect(request);
    else this.#waiting.push(request);
  }

  #connect(request: RequestOnConnection): void {
    const socket = this.#open().setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    const connection = { socket, connected: false, maxIdleMs: MAX_IDLE_MS, usableUntil: 0 };
    this.#opened += 1;
    socket.once(this.#connected, () => {
      connection.connected = true;
    });
    // `node:http` emits it when the whole answer has arrived and the connection can be reused.
    socket.on("free", () => this.#release(connection));
    // `node:http` reports errors to the request. Errors of idle sockets are ignored.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#forget(connection));
    this.#use(connection, request);
  }

  #use(connection: Connection, request: RequestOnConnection): void {
    request.carrier = connection;
    request.onSocket(connection.socket.ref());
  }

  #release(connection: Connection): void {
    if (!connection.socket.writable) return;
    const next = this.#waiting.shift();
    if (next) {
      this.#use(connection, next);
      return;
    }
    connection.usableUntil = performance.now() + connection.maxIdleMs;
    connection.socket.unref();
    this.#idle.push(connection);
  }

  #forget(connection: Connection): void {
    this.#opened -= 1;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    const next = this.#waiting.shift();
    if (next) this.#connect(next);
  }
}

/** Returns a function that opens TLS connections, which resume the session of the last one. */
function opener(host: string, port: number): () => Socket {
  let session: Buffer | undefined;
  return () => {
    const socket = connectSecurely({ host, port, servername: isIP(host) ? "" : host, ...(session && { session }) });
    socket.on("session", (fresh: Buffer) => {
      session = fresh;
    });
    socket.once("error", () => {
      session = undefined;
    });
    return socket;
  };
}
