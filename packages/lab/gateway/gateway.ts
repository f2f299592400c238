import { Failure } from "@relevance/lib/platform/failure.ts";
import { createCluster } from "@relevance/lib/search/opensearch/client.ts";
import { type Cluster, ClusterFailure } from "@relevance/lib/search/opensearch/cluster.ts";
import { RelevanceError } from "../../clients/typescript/src/errors.ts";
import { Transport } from "../../clients/typescript/src/transport.ts";

/** An answer of the gateway. */
export interface GatewayAnswer<Body> {
  body: Body;
  headers: Headers;
  milliseconds: number;
}

/** The search gateway that is measured. */
export interface Gateway {
  /**
   * Posts a value as JSON. Retries what the gateway says may succeed later. Throws Failure for an error.
   */
  post<Body>(path: string, body: object): Promise<GatewayAnswer<Body>>;
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
  const transport = new Transport({ url, key, retries: RETRIES, timeoutMs: CALL_MS });
  return {
    async post(path, body) {
      const request = { method: "POST", path, body: JSON.stringify(body), safe: true };
      const { text, headers, milliseconds } = await transport
        .call({ ...request, signal: AbortSignal.timeout(CALL_MS) })
        .catch((error: unknown) => {
          throw failureOf(error, url);
        });
      return { body: JSON.parse(text), headers, milliseconds };
    },
    cluster: clusterBehind(base, key),
    api: clusterBehind(base, key, ""),
  };
}

/** The longest that a call takes, retries included. */
const CALL_MS = 60_000;
/** Attempts after the first. */
const RETRIES = 4;

/** Returns the error of a call in words for whoever runs a command. */
function failureOf(error: unknown, url: string): Failure {
  if (!(error instanceof RelevanceError)) {
    return new Failure(`Cannot reach the gateway at ${new URL(url).origin}`, { cause: error });
  }
  const said = JSON.stringify(error.answer)?.slice(0, 500) ?? error.message;
  return new Failure(`The gateway answered ${error.status}: ${said}`, { cause: error });
}

/**
 * Returns the gateway's cluster, called through its raw backend; with the prefix "", the gateway's own API in its
 * place. Runs that rebuild indexes need the texts of documents as they are, and every status, so these calls do not go through
 * the client of `packages/clients/typescript`, which parses answers and throws errors.
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
