import { Failure } from "@relevance/lib/platform/failure.ts";
import { deadlineIn, retry } from "@relevance/lib/platform/resilience/deadline.ts";
import { createCluster } from "@relevance/lib/search/opensearch/client.ts";
import { type Cluster, ClusterFailure } from "@relevance/lib/search/opensearch/cluster.ts";

/** An answer of the gateway. */
export interface GatewayAnswer {
  body: unknown;
  headers: Headers;
  milliseconds: number;
}

/** The search gateway that is measured. */
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

/** Where a gateway is, and a key of it. */
export interface GatewayAddress {
  url: string;
  key: string;
}

/** Returns the gateway at an address. */
export function gatewayAt({ url, key }: GatewayAddress): Gateway {
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  return {
    post: (path, body) => post(`${base}${path}`, key, body),
    cluster: clusterBehind(base, key),
    api: clusterBehind(base, key, ""),
  };
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
