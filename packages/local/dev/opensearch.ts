import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { findJdks } from "../opensearch/java.ts";
import { startOpenSearch } from "../opensearch/start.ts";
import { chooseVersion } from "../opensearch/versions.ts";

/** The cluster that the stack uses. */
export interface DevCluster {
  /** Without credentials. */
  url: string;
  version: string;
  /** Whether this process started it. Such a cluster lacks the native k-NN libraries. */
  own: boolean;
  /** User and password, if the cluster's URL contains them. */
  credentials: { user: string; password: string } | undefined;
  /** Resolves with the reason if the server exits by itself. */
  died: Promise<LocalError>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  dir: string;
  installDir: string;
  url: URL | undefined;
  version: Parameters<typeof startOpenSearch>[0]["version"] | undefined;
  port: number | undefined;
  say: (line: string) => void;
}

/**
 * Starts an OpenSearch that keeps its data, or connects to the cluster in the options. Throws LocalError with advice.
 */
export async function openCluster(options: ClusterOptions): Promise<DevCluster> {
  if (options.url) return connectTo(options.url);
  const jdks = findJdks();
  const version = options.version ?? chooseVersion(jdks).version;
  const server = await startOpenSearch({
    version,
    // Tests install to the same folder.
    dir: join(options.installDir, `opensearch-${version}`),
    nodeDir: join(options.dir, "dev", `opensearch-${version}`),
    quickStart: true,
    ...(options.port !== undefined && { port: options.port }),
    jdks,
    onProgress: options.say,
  });
  const { url, died } = server;
  return { url, version, own: true, credentials: undefined, died, stop: () => server.stop() };
}

const ANSWER_MS = 10_000;

/** Connects to a running cluster. Throws LocalError if it is not OpenSearch, or rejects the user in its URL. */
export async function connectTo(given: URL): Promise<DevCluster> {
  const credentials = given.username
    ? { user: decodeURIComponent(given.username), password: decodeURIComponent(given.password) }
    : undefined;
  const address = new URL(given);
  address.username = "";
  address.password = "";
  const url = address.href.replace(/\/$/, "");

  const { status, body } = await ask(url, credentials);
  if (status === 401 || status === 403) {
    throw new LocalError(
      `${url} answers ${status}: give user and password in the address, as in OPENSEARCH_URL=http://user:password@${address.host}`,
    );
  }
  const { version } = (body ?? {}) as { version?: { number?: string; distribution?: string } };
  if (status !== 200 || version?.distribution !== "opensearch" || version.number === undefined) {
    throw new LocalError(`${url} is not OpenSearch (it answers ${status}): check OPENSEARCH_URL`);
  }
  const never = new Promise<never>(() => undefined);
  return { url, version: version.number, own: false, credentials, died: never, stop: async () => undefined };
}

async function ask(url: string, credentials: DevCluster["credentials"]): Promise<{ status: number; body: unknown }> {
  const basic = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  try {
    const answer = await fetch(`${url}/`, {
      headers: basic ? { authorization: `Basic ${basic}` } : {},
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  } catch (error) {
    throw new LocalError(
      `no OpenSearch answers at ${url}: start it, or leave OPENSEARCH_URL out to have one started here`,
      { cause: error },
    );
  }
}
