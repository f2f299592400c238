import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { HOST } from "../../local/process/ports.ts";

/** A proxy for TCP connections to one server, with faults of a network. */
export interface TcpProxy {
  url: string;
  /** Resets every open connection. New ones pass. */
  cut(): void;
  /** Holds back all bytes in both directions until `pass`. */
  stall(): void;
  /** Delays every chunk in both directions. */
  slow(ms: number): void;
  /** Resets every open connection and refuses new ones until `pass`. */
  refuse(): Promise<void>;
  /** Ends all faults. */
  pass(): Promise<void>;
  /** The number of open connections. */
  connections(): number;
  stop(): Promise<void>;
}

/** Starts a proxy for the server at `target`. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let stalled = false;
  let delayMs = 0;

  const relay = (from: Socket, to: Socket) => {
    // One queue for each direction: a timer that fires late must not let a later chunk overtake.
    const queue: Array<{ due: number; send: () => void }> = [];
    const drain = () => {
      for (let next = queue[0]; next; next = queue[0]) {
        const wait = next.due - Date.now();
        if (wait > 0) {
          setTimeout(drain, wait);
          return;
        }
        queue.shift();
        next.send();
      }
    };
    const inOrder = (send: () => void) => {
      queue.push({ due: Date.now() + delayMs, send });
      if (queue.length === 1) drain();
    };
    if (stalled) from.pause();
    from.on("data", (chunk) =>
      inOrder(() => {
        if (!to.destroyed && !to.writableEnded) to.write(chunk);
      }),
    );
    from.on("end", () => inOrder(() => to.end()));
  };
  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
    relay(client, upstream);
    relay(upstream, client);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, HOST, resolve));
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      cut();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${HOST}:${port}`,
    cut,
    stall() {
      stalled = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    slow(ms) {
      delayMs = ms;
    },
    refuse: close,
    async pass() {
      delayMs = 0;
      stalled = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
      if (!server.listening) await listen(port);
    },
    connections: () => pairs.size,
    stop: close,
  };
}
