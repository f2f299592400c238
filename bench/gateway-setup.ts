import { Agent, request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { buildFunctions } from "../build/functions.ts";
import type { ProxyEvent, ProxyHandler } from "../lib/platform/http/event.ts";
import type { GatewaySettings } from "../lib/search/gateway/settings.ts";
import { type OpenSearchServer, type StartOptions, startOpenSearch } from "../packages/local/opensearch/start.ts";
import type { OpenSearchVersion } from "../packages/local/opensearch/versions.ts";
import { loadBundle } from "../packages/local-aws/api/load-bundle.ts";
import { createContext } from "../packages/local-aws/api/service.ts";
import { generateModelFiles } from "../packages/local-models/model-files.ts";
import { scratchFolder } from "../packages/processes/scratch.ts";
import { patient } from "../packages/processes/wait.ts";
import { ROOT } from "../test/fixtures/env.ts";
import { SETTINGS } from "../test/fixtures/gateway.ts";

export const FOLDER = scratchFolder(join(ROOT, ".local"), "bench");

/** Name of the key by which {@link invoke} calls. */
export const KEY = "bench";

/** Starts OpenSearch with a fully optimizing JIT compiler. With `quickStart` the server would be slow. */
export async function startCluster(
  version: OpenSearchVersion = "2.19.6",
  options: Pick<StartOptions, "heap" | "settings"> = {},
): Promise<OpenSearchServer> {
  const dir = join(ROOT, `.local/opensearch-${version}`);
  return startOpenSearch({ version, dir, nodeDir: join(FOLDER, "node"), clean: true, heap: "1g", ...options });
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Calls the cluster directly over a kept-alive connection and parses the answer, as a caller would. */
export function direct(url: string, method: string, path: string, body?: string, type = "application/json") {
  const { hostname, port } = new URL(url);
  return new Promise<unknown>((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(body) };
    request({ agent, hostname, port, method, path, headers }, async (answer) => {
      const text = (await buffer(answer)).toString();
      if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${text.slice(0, 300)}`));
      else resolve(JSON.parse(text));
    })
      .on("error", reject)
      .end(body);
  });
}

/** Builds the bundle with these settings and returns its folder. `writeModelFiles` writes the sparse model's files into it. */
export async function buildGateway(
  settings: Partial<GatewaySettings> = {},
  writeModelFiles: (folder: string) => Promise<void> = generateModelFiles,
): Promise<string> {
  const built = await buildFunctions({
    outdir: join(FOLDER, "functions"),
    functions: ["api-router"],
    files: { "api-router": { "config.json": JSON.stringify({ ...SETTINGS, ...settings }) } },
  });
  const dir = built["api-router"]?.dir ?? "";
  await writeModelFiles(dir);
  return dir;
}

/** Returns the built and loaded handler, as Lambda calls it, with the variables of its role: by default the root user's. */
export async function loadGateway(
  node: string,
  settings: Partial<GatewaySettings> = {},
  role: Readonly<Record<string, string>> = {},
  writeModelFiles?: (folder: string) => Promise<void>,
): Promise<ProxyHandler> {
  const place = { OPENSEARCH_NODE: node, OPENSEARCH_AUTH: "none", AWS_REGION: "eu-west-1" };
  const env = { ...place, API_KEYS: `id=${KEY}`, ...role };
  const file = join(await buildGateway(settings, writeModelFiles), "index.mjs");
  return (await loadBundle({ file, env, onRequestLog: () => undefined })).handler;
}

/**
 * Calls the handler as API Gateway does, with the body in base64, and by default parses the answer as a caller would.
 */
export async function invoke(
  handler: ProxyHandler,
  method: string,
  path: string,
  body?: string,
  read: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const answer = await handler(event(method, path, body), createContext("bench", patient(28_000)));
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body.slice(0, 300)}`);
  return read(answer.body);
}

/** Returns an event as API Gateway makes it of a call, with the body in base64. */
export function event(method: string, path: string, body?: string): ProxyEvent {
  return {
    httpMethod: method,
    path,
    headers: { "content-type": "application/json", accept: "application/json" },
    multiValueQueryStringParameters: null,
    body: body === undefined ? null : Buffer.from(body).toString("base64"),
    isBase64Encoded: true,
    requestContext: { requestId: "bench", identity: { apiKeyId: "id" } },
  } as unknown as ProxyEvent;
}
