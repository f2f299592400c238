import { once } from "node:events";
import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import type { ProxyEvent, ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import type { Route } from "@relevance/lib/platform/http/route.ts";
import type { suite } from "../../../../test/suite.ts";
import type { ApiService } from "../../api/service.ts";
import { type ApiOptions, type RunningApi, startApi } from "../../api/start.ts";

/** The key that the servers accept. */
export const KEY = "secret-key";
const route = (path: string): Route => ({
  methods: ["POST"],
  path,
  family: "f",
  access: [],
  summary: "",
  description: "",
});
/** Routes of a gateway. */
export const ROUTES = ["/application/search", "/raw-backend/{proxy+}"].map(route);

type Options = Partial<ApiOptions> & Pick<ApiService, "options" | "origins" | "basePath" | "usage">;

/** Starts servers of one service for a suite, and stops them after each of its tests. */
export function servers(test: Pick<ReturnType<typeof suite>, "after">) {
  const running: RunningApi[] = [];
  test.after.each(async () => {
    await Promise.all(running.splice(0).map((api) => api.stop(0)));
  });
  const keep = (api: RunningApi) => {
    running.push(api);
    return api;
  };
  return {
    keep,
    async start(
      handler: ProxyHandler,
      { basePath, usage, origins, options: preflights, ...options }: Options = {},
    ): Promise<RunningApi> {
      const optional = { ...(basePath && { basePath }), ...(usage && { usage }), origins, options: preflights };
      const service = { routes: ROUTES, handler, keys: [KEY], ...optional };
      return keep(await startApi({ services: [service], onFunctionError: () => undefined, ...options }));
    },
  };
}

interface Sent {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  agent?: Agent;
}

/** Sends a request unchanged; fetch would normalize its path and headers. */
export async function send(url: string, path: string, { method = "POST", headers = {}, body, agent }: Sent = {}) {
  const { hostname, port } = new URL(url);
  const sent = request({
    hostname,
    port,
    path,
    method,
    headers: { "x-api-key": KEY, ...headers },
    agent: agent ?? false,
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return {
    status: response.statusCode as number,
    headers: response.headers as IncomingHttpHeaders,
    text: bytes.toString(),
    bytes,
  };
}

/** Returns the status and the code of an error response. */
export const errorOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).error.code];

/** Returns a function that keeps its events and returns 200 by default. */
export function recorder(result: Awaited<ReturnType<ProxyHandler>> = { statusCode: 200, body: "{}" }) {
  const events: ProxyEvent[] = [];
  const handler: ProxyHandler = async (event) => {
    events.push(event);
    return result;
  };
  return { events, handler };
}
