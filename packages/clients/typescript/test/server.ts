import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a server was asked. */
export interface Asked {
  method: string;
  path: string;
  key: string | undefined;
  body: unknown;
}

/** An answer of the server; `lost` closes the connection instead. */
export type Reply = "lost" | { status: number; body?: unknown; headers?: Record<string, string> };

/** Starts a server on loopback that answers each request by `reply` and records it. */
export async function serve(reply: (asked: Asked, count: number) => Reply) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const one: Asked = {
      method: request.method ?? "",
      path: request.url ?? "",
      key: request.headers["x-api-key"] as string | undefined,
      body: text === "" ? undefined : JSON.parse(text),
    };
    asked.push(one);
    const answer = reply(one, asked.length);
    if (answer === "lost") {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** An error answer of the service. */
export const failure = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { error: { code, message: `no: ${code}`, request_id: "r1", issues: [{ path: "index", message: "is empty" }] } },
});
