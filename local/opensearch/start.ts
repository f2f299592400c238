import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalError } from "../process/error.ts";
import { logTail } from "../process/log-tail.ts";
import { freePorts, HOST, requireFreePort } from "../process/ports.ts";
import { type ServerProcess, startServer } from "../process/server.ts";
import { waitFor } from "../process/wait.ts";
import { diagnose } from "./diagnosis.ts";
import { installOpenSearch } from "./install.ts";
import { findJdks, type Jdk } from "./java.ts";
import { claimData, forgetNode, type NodeFolder, nodeFolder, recordNode, runningNode } from "./node-folder.ts";
import { writeSettings } from "./settings.ts";
import { type RunAs, unprivileged } from "./user.ts";
import { jdkFor, type OpenSearchVersion } from "./versions.ts";

export interface StartOptions {
  version: OpenSearchVersion;
  /** Where the server is installed, once for all nodes. */
  dir: string;
  /** Where this node keeps data, logs and configuration; default `dir`. One running server a folder. */
  nodeDir?: string;
  /** Default: a free one. */
  port?: number;
  /** As Java writes it; default `512m`. */
  heap?: string;
  /** Wipes the node's data first. */
  clean?: boolean;
  /** Starts a second or two sooner and runs slower: for tests. */
  quickStart?: boolean;
  /** More lines of opensearch.yml. */
  settings?: Readonly<Record<string, string | number | boolean>>;
  /** From launch to a healthy cluster; default 600 s. A very busy machine takes more than 180; a server that ends is noticed at once. */
  timeoutMs?: number;
  /** Default: those of this machine. */
  jdks?: readonly Jdk[];
  /** A line for the user, now and then. */
  onProgress?: (line: string) => void;
}

export interface OpenSearchServer {
  readonly url: string;
  readonly version: OpenSearchVersion;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves, with the reason and the way out, when the server ends without having been stopped. */
  readonly died: Promise<LocalError>;
  stop(): Promise<void>;
}

/**
 * Starts a real OpenSearch (single node, k-NN and neural-search), installed first if need be, and waits until it is
 * healthy. It ends with this process, however that ends. Throws MissingTool (no Maven, no fitting Java) and LocalError
 * (port taken, folder in use or of another version, server died, not healthy in time), each with the way out.
 */
export async function startOpenSearch(options: StartOptions): Promise<OpenSearchServer> {
  const { version, onProgress = () => {}, timeoutMs = 600_000 } = options;
  const jdks = options.jdks ?? findJdks();
  const jdk = jdkFor(version, jdks);
  const folder = nodeFolder(resolve(options.nodeDir ?? options.dir));

  refuseSpace(folder);
  refuseSecondServer(folder);
  if (options.port !== undefined) await requireFreePort(options.port, `OpenSearch ${version}`);
  const home = await installOpenSearch({ version, dir: options.dir, jdks, onProgress });
  const user = unprivileged();
  const port = await prepare(folder, home, user, options);

  const launched = performance.now();
  const [command = "", ...args] = [...user.prefix, join(home, "bin", "opensearch")];
  const server = await startServer({
    command,
    args,
    cwd: folder.dir,
    // The user's own OPENSEARCH_JAVA_OPTS or OPENSEARCH_HOME are for another server.
    env: {
      PATH: process.env.PATH,
      OPENSEARCH_JAVA_HOME: jdk.home,
      OPENSEARCH_PATH_CONF: folder.conf,
      OPENSEARCH_TMPDIR: folder.tmp,
    },
    logFile: folder.console,
    graceMs: 15_000,
  });

  const url = `http://${HOST}:${port}`;
  recordNode(folder, { pid: server.pid, url, version });
  const { died, stop } = lifeOf(server, folder, version);
  try {
    await healthy(url, version, { timeoutMs, died, server });
  } catch (error) {
    await stop();
    throw error;
  }
  onProgress(`OpenSearch ${version} is up at ${url} after ${((performance.now() - launched) / 1000).toFixed(1)} s`);
  return { url, version, pid: server.pid, logFile: server.logFile, died, stop };
}

/** The server's launcher splits its JVM options at spaces, the folder for temporary files among them. */
function refuseSpace({ dir }: NodeFolder) {
  if (!/\s/.test(dir)) return;
  throw new LocalError(`OpenSearch cannot run in a folder with a space in its path: ${JSON.stringify(dir)}. Move it`);
}

/** Two servers cannot share a folder, and one that somebody else started is not ours to end. */
function refuseSecondServer(folder: NodeFolder) {
  const running = runningNode(folder.dir);
  if (running === undefined) return;
  throw new LocalError(
    `OpenSearch ${running.version} already runs on ${folder.dir} (${running.url}, pid ${running.pid}): ` +
      `use that one (OPENSEARCH_URL=${running.url}), or stop the program that started it`,
  );
}

/** Makes the node's folder ready for a start, and gives the port that it is configured with. */
async function prepare(folder: NodeFolder, home: string, user: RunAs, options: StartOptions): Promise<number> {
  const { version, clean = false, heap = "512m", quickStart = false, settings: extra = {} } = options;
  if (clean) rmSync(folder.data, { recursive: true, force: true });
  mkdirSync(folder.dir, { recursive: true });
  claimData(folder, version);
  // What an earlier start died of must not explain this one.
  rmSync(folder.console, { force: true });
  const written = [folder.data, folder.logs, folder.conf, folder.tmp];
  for (const path of written) mkdirSync(path, { recursive: true });

  const [transportPort = 0, freeHttpPort = 0] = await freePorts(2);
  const port = options.port ?? freeHttpPort;
  writeSettings({ home, folder, port, transportPort, heap, quickStart, extra });
  for (const path of written) user.own(path);
  user.requireReadable(join(home, "bin", "opensearch"));
  user.requireReadable(join(folder.conf, "opensearch.yml"));
  return port;
}

/** Tells a server that was stopped from one that died. */
function lifeOf(server: ServerProcess, folder: NodeFolder, version: OpenSearchVersion) {
  let stopping = false;
  const died = new Promise<LocalError>((resolveDied) => {
    void server.exited.then(({ code, signal }) => {
      forgetNode(folder);
      if (stopping) return;
      const how = signal ?? `code ${code}`;
      resolveDied(new LocalError(`OpenSearch ${version} died (${how}). ${diagnose(folder)}`));
    });
  });
  const stop = async () => {
    stopping = true;
    await server.stop();
  };
  return { died, stop };
}

interface Start {
  timeoutMs: number;
  died: Promise<LocalError>;
  server: ServerProcess;
}

async function healthy(url: string, version: OpenSearchVersion, { timeoutMs, died, server }: Start): Promise<void> {
  await waitFor(
    async () => {
      const signal = AbortSignal.timeout(5_000);
      const health = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=1s`, { signal });
      if (!health.ok) throw new Error(`its health is ${health.status}: ${(await health.text()).slice(0, 200)}`);
      return true;
    },
    {
      what: `OpenSearch ${version} at ${url}`,
      timeoutMs,
      abort: died.then((error) => Promise.reject(error)),
      context: () => `The end of its log (${server.logFile}):\n${logTail(server.logFile, 10)}`,
    },
  );
}
