import type { Command } from "commander";
import * as v from "valibot";
import { type Endpoint, words } from "../../lib/core/http/access.ts";
import type { Service } from "../../lib/core/naming/names.ts";
import { deadlineIn, retry } from "../../lib/core/resilience/deadline.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import { type Cluster, ClusterFailure } from "../../lib/search/opensearch/cluster.ts";
import { defineKeyOption, givenKey, KEY_VARIABLE } from "../api-key.ts";
import type { Context, OptionsOf } from "../command.ts";
import { readDevFile } from "../dev-file.ts";
import { Failure, UsageError } from "../errors.ts";

/** The options by which a command finds the search gateway; {@link defineGatewayOptions} adds them. */
export const gatewayOptions = {
  apiHost: v.optional(v.pipe(v.string(), v.url("must be a URL"))),
  apiKey: v.optional(v.pipe(v.string(), v.nonEmpty("needs a key"))),
  local: v.optional(v.boolean(), false),
};

type GatewayOptions = { conf: string } & OptionsOf<typeof gatewayOptions>;

/** Adds the options of {@link gatewayOptions} to a command. */
export function defineGatewayOptions(command: Command): void {
  command
    .option(
      "--api-host <url>",
      `URL of a search gateway whose API key is in ${KEY_VARIABLE} (default: the deployed one)`,
    )
    .option("--local", "use the stack of `make dev`");
  defineKeyOption(command);
}

/** An answer of the gateway. */
export interface GatewayAnswer {
  body: unknown;
  headers: Headers;
  milliseconds: number;
}

/** The search gateway that a command calls. */
export interface Gateway {
  /**
   * Posts JSON: a value, or text that is JSON already. Retries what the gateway says may succeed later. Throws Failure
   * for any answer but 200.
   */
  post(path: string, body: unknown): Promise<GatewayAnswer>;
  /** The cluster, called through `/raw-backend`. */
  cluster: Cluster;
  /** The gateway's own API, called likewise: answers are passed on, whatever their status. */
  api: Cluster;
}

/** The endpoints that the commands of `relevance index` call, without those that embed documents. */
export const ADMINISTRATION: readonly Endpoint[] = ["administration"];

/** The endpoints of the commands that also embed documents. */
export const EMBEDDING: readonly Endpoint[] = ["administration", "bulk"];

/**
 * Finds the gateway: the given one, that of `make dev`, or the deployed one, with a key that may call the endpoints.
 * Throws Failure and UsageError.
 */
export async function openGateway(
  options: GatewayOptions,
  context: Context,
  endpoints: readonly Endpoint[],
): Promise<Gateway> {
  const { url, key } = await addressOf(options, context, endpoints);
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  return {
    post: (path, body) => post(`${base}${path}`, key, body),
    cluster: clusterBehind(base, key),
    api: clusterBehind(base, key, ""),
  };
}

/** Finds the gateway's URL and key, as {@link openGateway}. Throws Failure and UsageError. */
export async function addressOf(
  options: GatewayOptions,
  context: Context,
  endpoints: readonly Endpoint[],
): Promise<{ url: string; key: string }> {
  const { apiHost, local } = options;
  if (local) {
    const { search } = readDevFile();
    return { url: search.url, key: search.api_key };
  }
  if (apiHost !== undefined) {
    const key = givenKey(options.apiKey, context);
    if (key !== undefined) return { url: apiHost, key };
  }
  if (apiHost !== undefined || options.apiKey !== undefined)
    throw new UsageError(`--api-host and a key belong together: put the key of that API into ${KEY_VARIABLE}`);
  const deployed = await deployedAddress(options.conf, context, "search-gateway", endpoints);
  if (deployed !== undefined) return deployed;
  const wanted = words(endpoints);
  throw new Failure(
    `The search gateway is not deployed, or none of its keys may use ${wanted}. Run \`relevance deploy\`, with an entry of ` +
      `\`keys\` in api.yaml that has \`endpoints: [${endpoints.join(", ")}]\`, or pass --local for \`make dev\`, or ` +
      `--api-host with its key in ${KEY_VARIABLE}`,
  );
}

/**
 * Returns the URL of a deployed service and a key that may call the endpoints; undefined if there is none. Throws
 * UsageError if callers have no API keys.
 */
export async function deployedAddress(
  conf: string,
  context: Context,
  service: Service,
  endpoints: readonly Endpoint[],
): Promise<{ url: string; key: string } | undefined> {
  const { findDeployedApi, keyValueFor } = await import("../deployed-api.ts");
  const { accountOf, namesIn, openSession } = await import("../session.ts");
  const session = await openSession(conf, context);
  const { authorization, keys } = session.config.api;
  if (authorization !== "api_key") {
    throw new UsageError(
      `This command calls the ${service === "recommendation" ? "recommendation service" : "gateway"} with an API key, and there is none: authorization is ${authorization} in api.yaml. Use --local`,
    );
  }
  const api = await findDeployedApi(session, namesIn(session, await accountOf(session)), service);
  const key = api && keyValueFor(api, keys, endpoints);
  return api && key !== undefined ? { url: api.url, key } : undefined;
}

/** The longest that a call takes, retries included. */
const CALL_MS = 60_000;

/**
 * What may succeed when it is tried again: an answer that the gateway's documentation says so of, or a broken
 * connection.
 */
class Passing extends Failure {}

/** Codes of a connection that ended before the answer, as an idle one does that the server has just closed. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

async function post(url: string, key: string, body: unknown): Promise<GatewayAnswer> {
  const deadline = deadlineIn(CALL_MS);
  const call = async (): Promise<GatewayAnswer> => {
    const started = performance.now();
    const signal = AbortSignal.timeout(Math.ceil(deadline.remaining()));
    const headers = { "content-type": "application/json", "x-api-key": key };
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url, {
        method: "POST",
        headers,
        body: typeof body === "string" ? body : JSON.stringify(body),
        signal,
      });
      text = await answer.text();
    } catch (cause) {
      const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
      const Kind = BROKEN.has(code ?? "") ? Passing : Failure;
      throw new Kind(`Cannot reach the gateway at ${new URL(url).origin}`, { cause });
    }
    const milliseconds = performance.now() - started;
    if (answer.status === 200) return { body: JSON.parse(text), headers: answer.headers, milliseconds };
    const message = `The gateway answered ${answer.status}: ${text.slice(0, 500)}`;
    throw [429, 502, 503, 504].includes(answer.status) ? new Passing(message) : new Failure(message);
  };
  return retry(call, { deadline, attempts: 5, retryable: (error) => error instanceof Passing });
}

/**
 * Returns the gateway's cluster, called through its raw backend; with the prefix "", the gateway's own API in its
 * place.
 */
export function clusterBehind(base: string, key: string, prefix = "/raw-backend"): Cluster {
  const auth = { headers: async () => ({ "x-api-key": key }) };
  const cluster = createCluster({ node: `${base}${prefix}`, auth, compressed: true });
  return {
    async send(request, timeoutMs) {
      const answer = await cluster.send(request, timeoutMs).catch((cause: unknown) => {
        if (!(cause instanceof ClusterFailure) || cause.kind === "too_large") throw cause;
        throw new ClusterFailure(cause.kind, cause.sent, `no answer from the gateway at ${new URL(base).origin}`, {
          cause,
        });
      });
      if (answer.status === 500 && answer.body.includes("response_too_large")) {
        throw new ClusterFailure("too_large", true, "the answer is too large for the gateway");
      }
      return answer;
    },
  };
}
