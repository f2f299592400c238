import { type Cluster, ClusterFailure } from "../../lib/search/opensearch/cluster.ts";

/**
 * Returns the gateway's cluster, called through its raw backend; with the prefix "", the gateway's own API in its
 * place.
 */
export function clusterBehind(base: string, key: string, prefix = "/raw-backend"): Cluster {
  return {
    async send({ method, path, query, headers, body }, timeoutMs) {
      const url = `${base}${prefix}${path}${query ? `?${query}` : ""}`;
      let answer: Response;
      let bytes: Buffer;
      try {
        answer = await fetch(url, {
          method,
          headers: { ...headers, "x-api-key": key },
          signal: AbortSignal.timeout(timeoutMs),
          ...(body !== undefined && { body: typeof body === "string" ? body : new Uint8Array(body) }),
        });
        bytes = Buffer.from(await answer.arrayBuffer());
      } catch (cause) {
        // Whether the gateway had the call is not known here.
        throw new ClusterFailure("lost", true, `no answer from the gateway at ${new URL(base).origin}`, { cause });
      }
      if (answer.status === 500 && bytes.includes("response_too_large")) {
        throw new ClusterFailure("too_large", true, "the answer is too large for the gateway");
      }
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes };
    },
  };
}
