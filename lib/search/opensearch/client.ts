import { promisify } from "node:util";
import { unzip } from "node:zlib";
import { Client, Connection } from "@opensearch-project/opensearch";
import type { ClusterAuth } from "./auth.ts";
import { type Cluster, ClusterFailure, type ClusterRequest } from "./cluster.ts";
import { ClusterTransport, clusterConnection, type WholeAnswer } from "./cluster-connection.ts";
import { Connections } from "./connections.ts";

export interface ClusterOptions {
  /** `https://vpc-….es.amazonaws.com`, with the path that all calls begin with, if there is one. */
  node: string;
  auth: ClusterAuth;
  /** Answers longer than this many bytes are cut off. */
  maxAnswerBytes?: number;
  /** Whether to ask for compressed answers. */
  compressed?: boolean;
}

/** Limits the memory of one call. Few answers that Lambda can return (6 MiB, compressed) are longer. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

/** Returns a cluster that is called through the OpenSearch client. Its retries are off, because they repeat writes. */
export function createCluster(options: ClusterOptions): Cluster {
  const { node, auth, maxAnswerBytes = MAX_ANSWER_BYTES, compressed = false } = options;
  const { transport } = new Client({
    node,
    Transport: ClusterTransport,
    Connection: clusterConnection(auth.signer?.Connection ?? Connection, maxAnswerBytes),
    agent: () => new Connections(node),
  });
  const common = { "user-agent": "relevance", ...(compressed && { "accept-encoding": "gzip,deflate" }) };

  /** Sends a call once. Returns the answer and the credentials that were used. */
  const once = async ({ method, path, query = "", headers, body }: ClusterRequest, requestTimeout: number) => {
    const credentials = (await auth.headers?.()) ?? {};
    const { statusCode, body: stream } = await transport.request(
      {
        method,
        path,
        querystring: query,
        ...(body?.length && { body }),
        ...(auth.signer && { auth: auth.signer.credentials() }),
      },
      { asStream: true, requestTimeout, headers: { ...common, ...headers, ...credentials } },
    );
    const { headers: returned, bytes } = stream as WholeAnswer;
    const encoding = returned["content-encoding"] ?? "identity";
    const decoded = encoding === "identity" ? bytes : await decode(bytes, encoding);
    return { answer: { status: statusCode ?? 0, headers: returned, body: decoded }, credentials };
  };

  /**
   * Decompresses an answer. Throws `lost` if no call requested compression: a proxy that compresses may also have
   * changed the content.
   */
  const decode = async (bytes: Buffer, encoding: string): Promise<Buffer> => {
    if (!compressed)
      throw new ClusterFailure("lost", true, `the answer has the encoding ${encoding}, which was not asked for`);
    return bytes.length === 0 ? bytes : await promisify(unzip)(bytes);
  };

  return {
    async send(request, timeoutMs) {
      const { answer, credentials } = await once(request, timeoutMs);
      if (answer.status !== 401 || !auth.renew || !(await auth.renew(credentials))) return answer;
      // The cluster answers 401 before it executes anything, so any call may be resent with a rotated secret.
      return (await once(request, timeoutMs)).answer;
    },
  };
}
