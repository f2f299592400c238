import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A record as received. */
export type Received = Record<string, string>;

/** An answer that a test wants in place of acceptance: a status with its body. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** One request of the upload. */
export interface Request {
  path: string;
  records: Received[];
}

/** A service that accepts every record, unless `reply` says otherwise. */
export interface UploadServer {
  url: string;
  requests: Request[];
  /** Accepted records by path. */
  accepted: Map<string, Received[]>;
  /** Called before each request is accepted. */
  reply: (request: Request) => Reply | undefined;
  close(): void;
}

export const API_KEY = "key-0123456789";

/** Starts a server with the answers of the data endpoints. */
export async function startUploadServer(): Promise<UploadServer> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const send = ({ status, headers = {}, body }: Reply) =>
      outgoing
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
    if (incoming.headers["x-api-key"] !== API_KEY) return send(failure(403, "The API key is missing or wrong."));
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, Received[]>;
    const records = Object.values(body)[0];
    if (!records) return send(failure(400, "The request body is not valid."));
    const request = { path: incoming.url ?? "", records };
    started.requests.push(request);
    const reply = started.reply(request);
    if (reply) return send(reply);
    started.take(request.path, records);
    return send(answered(records.length));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const started = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [] as Request[],
    accepted: new Map<string, Received[]>(),
    reply: (_: Request): Reply | undefined => undefined,
    take(path: string, records: readonly Received[]) {
      started.accepted.set(path, [...(started.accepted.get(path) ?? []), ...records]);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return started;
}

/** An error as both services write it. */
export function failure(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { error: { code: "any", message, request_id: "r" } } };
}

/** The answer to an upload of `count` records; `rejected` lists positions in the request. */
export function answered(count: number, rejected: readonly number[] = [], retryable = false) {
  const issues = [{ path: "AGE", message: "must be a whole number" }];
  const all = rejected.map((index) => ({ index, id: `id-${index}`, retryable, issues }));
  const status = rejected.length === count ? 400 : 200;
  return { status, body: { request: { count }, response: { accepted: count - rejected.length, rejected: all } } };
}
