import type { IncomingMessage, ServerResponse } from "node:http";
import * as v from "valibot";
import { previewDefaults, SentDefaults, writeDefaults } from "./index-defaults.ts";
import { type JudgmentFiles, SentJudgment } from "./judgment-files.ts";
import { AskedClicks, AskedDays, AskedExperiment, AskedSearches, type LogReports, TakenClicks } from "./log-reports.ts";
import { type Served, serveOnLoopback } from "./loopback.ts";
import { type MerchandiseOptions, merchandise } from "./merchandise.ts";
import { hasRules, RULES_PLACE, SYNONYMS_PLACE, VARIETY_PLACE } from "./merchandise-kinds.ts";
import { type Page, securityHeaders } from "./page.ts";
import { ConsoleError, errorBody, explainedError } from "./problem.ts";
import { isProxied, passOn, type Upstream } from "./proxy.ts";
import { type Runs, SentRun } from "./runs.ts";
import type { ConsoleSetup, ConsoleTemplate, ProxiedService } from "./setup.ts";
import { SentDocuments, SentTask, type Tasks } from "./tasks.ts";

/** An event of a user, newest first in lists. */
export interface HistoryEvent {
  item: string;
  type: string;
  /** ISO 8601. */
  when: string;
}

export interface ConsoleOptions {
  page: Page;
  setup: Omit<ConsoleSetup, ProxiedService | "can" | "templates">;
  templates: ConsoleTemplate[];
  gateway: Upstream;
  recommendation?: Upstream;
  judgments: JudgmentFiles;
  tasks: Tasks;
  runs: Runs;
  reports: LogReports;
  /** The configuration and the account with which the page changes rules and synonyms, if it may. */
  merchandise?: MerchandiseOptions;
  /** Path of hybrid_search.yaml, if the page may change it. */
  defaultsFile?: string;
  /** Reads what a user did; only the local stack can. */
  history?: (user: string) => Promise<HistoryEvent[]>;
  /** Reads some users to pick from; only the local stack can. */
  users?: () => Promise<string[]>;
  /** Reads what `relevance status --json` prints. */
  status?: () => Promise<unknown>;
  /** Without it, a free port is used. */
  port?: number;
}

/** The same limit as the gateway's. */
const MAX_BODY = 4 * 1024 * 1024;

/** Serves the console on the loopback interface. It holds the keys of the services; the page never gets them. */
export async function startConsole(options: ConsoleOptions): Promise<Served> {
  const routes = routesOf(options);
  return serveOnLoopback((request, response) => answer(options, routes, request, response), options.port);
}

async function answer(
  options: ConsoleOptions,
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, headers: Record<string, string>, body: string) => {
    response.writeHead(status, { "content-type": "application/json", ...headers, ...SECURITY_HEADERS });
    response.end(body);
  };
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const file = request.method === "GET" ? options.page.get(pathname) : undefined;
  const refusal = refusalOf(request, file ? "file" : "call");
  if (refusal !== undefined) return send(403, {}, errorBody("forbidden", refusal));
  if (file) return send(200, { "content-type": file.type }, file.body);
  try {
    const { method = "GET" } = request;
    const [, service] = /^\/proxy\/(gateway|recommendation)\//.exec(pathname) ?? [];
    const body = await bodyOf(request);
    if (service !== undefined) {
      const name = service as ProxiedService;
      const passed = await proxied(options, name, method, pathname.slice(`/proxy/${name}`.length), body);
      return send(passed.status, passed.headers, passed.body);
    }
    const route = routes[`${method} ${pathname}`];
    if (!route) throw new ConsoleError(404, "not_found", `The console has no ${method} ${pathname}`);
    send(200, {}, JSON.stringify(await route({ body, query: searchParams })));
  } catch (error) {
    const explained = explainedError(error);
    if (!explained) console.error(error);
    const { status, code, message } = explained ?? new ConsoleError(500, "internal", (error as Error).message);
    send(status, {}, errorBody(code, message));
  }
}

function proxied(options: ConsoleOptions, service: ProxiedService, method: string, path: string, body: string) {
  const upstream = options[service];
  if (!upstream) throw new ConsoleError(404, "no_service", `There is no ${service} service here`);
  if (!isProxied(service, method, path)) {
    throw new ConsoleError(403, "forbidden", `The console does not pass on ${method} ${path}`);
  }
  return passOn(upstream, method, path, body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new ConsoleError(413, "payload_too_large", "The request has more than 4 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

interface Call {
  body: string;
  query: URLSearchParams;
}

type Routes = Readonly<Record<string, (call: Call) => unknown>>;

/** The calls that the server answers itself. */
function routesOf(options: ConsoleOptions): Routes {
  const { judgments, tasks, runs, reports, gateway, recommendation, defaultsFile } = options;
  const { history, users, status } = options;
  const setup = (): ConsoleSetup => ({
    ...options.setup,
    templates: options.templates,
    gateway: gateway.url,
    recommendation: recommendation?.url ?? null,
    can: {
      ...{ write: defaultsFile !== undefined, history: history !== undefined, status: status !== undefined },
      merchandise: options.merchandise !== undefined,
      rules: options.merchandise !== undefined && hasRules(options.merchandise.conf),
    },
  });
  const offered = <T>(part: T | undefined, what: string): T => {
    if (part !== undefined) return part;
    const reason = `${what} can only be read on the local stack, or with its configuration`;
    throw new ConsoleError(404, "not_offered", reason);
  };
  return {
    "GET /api/setup": setup,
    "GET /api/judgments": () => ({ names: judgments.names() }),
    "GET /api/judgments/rows": ({ query }) => ({ rows: judgments.read(query.get("name") ?? "") }),
    "POST /api/judgments/rows": ({ body, query }) => ({
      row: judgments.judge(query.get("name") ?? "", parsed(SentJudgment, body)),
    }),
    "GET /api/tasks": () => ({ tasks: tasks.list() }),
    "POST /api/tasks": ({ body }) => tasks.create(parsed(SentTask, body)),
    "GET /api/task": ({ query }) => tasks.read(query.get("name") ?? ""),
    "POST /api/task/documents": ({ body, query }) => tasks.open(query.get("name") ?? "", parsed(SentDocuments, body)),
    "GET /api/queries": ({ query }) => reports.searches(checked(AskedSearches, Object.fromEntries(query))),
    "GET /api/customers": ({ query }) => reports.customers(checked(AskedSearches, Object.fromEntries(query))),
    "GET /api/report": ({ query }) => reports.recommendations(checked(AskedDays, Object.fromEntries(query))),
    "GET /api/runs": () => ({ runs: runs.list() }),
    "GET /api/run": ({ query }) => runs.read(query.get("id") ?? ""),
    "GET /api/runs/over-time": async ({ query }) => ({
      runs: await runs.overTime(query.get("index") ?? "", query.get("judgments") ?? ""),
    }),
    "GET /api/experiment": ({ query }) => reports.experiment(checked(AskedExperiment, Object.fromEntries(query))),
    "GET /api/clicks": ({ query }) => reports.clicks(checked(AskedClicks, Object.fromEntries(query))),
    "POST /api/clicks/take": ({ body }) => reports.take(parsed(TakenClicks, body)),
    "GET /api/runs/progress": () => runs.progress(),
    "POST /api/runs/cancel": () => {
      runs.cancel();
      return {};
    },
    "POST /api/runs": ({ body }) => runs.start(parsed(SentRun, body)),
    "POST /api/defaults/preview": ({ body }) =>
      previewDefaults(offered(defaultsFile, "hybrid_search.yaml"), parsed(SentDefaults, body)),
    "POST /api/defaults/write": ({ body }) =>
      writeDefaults(offered(defaultsFile, "hybrid_search.yaml"), parsed(SentDefaults, body)),
    "GET /api/history": async ({ query }) => ({
      events: await offered(history, "The history of a user")(query.get("user") ?? ""),
    }),
    "GET /api/users": async () => ({ users: (await users?.()) ?? [] }),
    ...merchandiseRoutes("rules", options.merchandise && merchandise(RULES_PLACE, options.merchandise)),
    ...merchandiseRoutes("synonyms", options.merchandise && merchandise(SYNONYMS_PLACE, options.merchandise)),
    ...merchandiseRoutes("variety", options.merchandise && merchandise(VARIETY_PLACE, options.merchandise)),
    "GET /api/status": () => offered(status, "The status of Personalize")(),
  };
}

/** The calls about a document that merchandisers change. */
function merchandiseRoutes(name: string, place: ReturnType<typeof merchandise> | undefined): Routes {
  if (!place) return {};
  return {
    [`GET /api/${name}`]: () => place.state(),
    [`POST /api/${name}/check`]: ({ body }) => place.check(json(body)),
    [`POST /api/${name}/draft`]: ({ body }) => place.draft(json(body)),
    [`POST /api/${name}/apply`]: ({ body }) => place.apply(json(body)),
    [`POST /api/${name}/revert`]: ({ body }) => place.revert(json(body)),
  };
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new ConsoleError(400, "invalid_request", "The body is not JSON", { cause: error });
  }
}

function parsed<T>(schema: v.GenericSchema<unknown, T>, body: string): T {
  return checked(schema, json(body));
}

function checked<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new ConsoleError(400, "invalid_request", v.summarize(result.issues));
}

/** The header that the page sends with each call. Another site's page cannot send it without a preflight, which fails. */
const CONSOLE_HEADER = "x-relevance-console";

// Pictures are where the documents say.
const SECURITY_HEADERS = securityHeaders([], "https:");

/**
 * Returns why a request must not be served, undefined if it may. A name that another site points to this machine (DNS
 * rebinding) shows in `Host`, a call of another site's page in `Origin`, `Sec-Fetch-Site` and the missing header.
 */
function refusalOf({ headers, socket }: IncomingMessage, kind: "file" | "call"): string | undefined {
  const own = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  const { host = "", origin } = headers;
  if (!own.includes(host))
    return `The console is not served under the name ${JSON.stringify(host)}: open http://${own[0]}`;
  if (kind === "file") return undefined;
  if (origin !== undefined && origin !== `http://${host}`) return "Another site's page may not call the console";
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return "Another site's page may not call the console";
  if (headers[CONSOLE_HEADER] !== "1") return `Calls of the console need the header ${CONSOLE_HEADER}: 1`;
  return undefined;
}
