import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { freePorts, HOST, requireFreePort } from "@relevance/processes/ports.ts";
import { logTail, type ServerProcess, startServer } from "@relevance/processes/server.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import { installOpenSearch } from "./install.ts";
import { findJdks, type Jdk } from "./java.ts";
import {
  claimData,
  diagnose,
  forgetNode,
  type NodeFolder,
  nodeFolder,
  recordNode,
  runningNode,
} from "./node-folder.ts";
import { type RunAs, unprivileged, writeSettings } from "./settings.ts";
import { jdkFor, type OpenSearchVersion } from "./versions.ts";

export interface StartOptions {
  version: OpenSearchVersion;
  /** Folder in which the server is installed, once for all nodes. */
  dir: string;
  /** Folder of this node's data, logs and configuration. Only one server can run on it. Default: `dir`. */
  nodeDir?: string;
  /** Default: a free port. */
  port?: number;
  /** Heap size in Java's notation. Default: `512m`. */
  heap?: string;
  /** Whether to delete the node's data first. */
  clean?: boolean;
  /** Starts one or two seconds faster but runs slower, and takes its heap as it uses it. For tests. */
  quickStart?: boolean;
  /** Additional settings for opensearch.yml. */
  settings?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Time from launch to a healthy cluster. Default: 600 s, because a very busy machine needs more than 180 s. A server
   * that exits is detected immediately.
   */
  timeoutMs?: number;
  /** Default: those of this machine. */
  jdks?: readonly Jdk[];
  /** Called with progress messages for the user. */
  onProgress?: (line: string) => void;
}

export interface OpenSearchServer {
  readonly url: string;
  readonly version: OpenSearchVersion;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with the reason and what to do if the server exits without having been stopped. */
  readonly died: Promise<LocalError>;
  stop(): Promise<void>;
}

/**
 * Starts a real OpenSearch (single node, k-NN and neural-search) and waits until it is healthy. Installs it first if
 * necessary. It exits with this process, however the process ends. Throws MissingTool (no Maven, no suitable Java) and
 * LocalError (port taken, folder in use or of another version, server died, not healthy in time), each with what to do.
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
    // Leaves out the user's OPENSEARCH_JAVA_OPTS and OPENSEARCH_HOME, which are meant for another server.
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
  const died = server.diedOf((how) => new LocalError(`OpenSearch ${version} died (${how}). ${diagnose(folder)}`));
  const ended = server.exited.then(() => forgetNode(folder));
  const stop = async () => {
    await server.stop();
    await ended;
  };
  try {
    await healthy(url, version, { timeoutMs, died, server });
  } catch (error) {
    await stop();
    throw error;
  }
  onProgress(`OpenSearch ${version} is up at ${url} after ${((performance.now() - launched) / 1000).toFixed(1)} s`);
  return { url, version, pid: server.pid, logFile: server.logFile, died, stop };
}

/**
 * Returns why OpenSearch cannot run in a folder, if it has a space in its path: the launcher splits JVM options at spaces,
 * including the temporary folder's path.
 */
export const spaceProblem = (dir: string): string | undefined =>
  /\s/.test(dir)
    ? `OpenSearch cannot run in a folder with a space in its path: ${JSON.stringify(dir)}. Move it`
    : undefined;

/** Throws LocalError for a path with spaces. */
export function refuseSpace({ dir }: Pick<NodeFolder, "dir">): void {
  const problem = spaceProblem(dir);
  if (problem !== undefined) throw new LocalError(problem);
}

/** Throws LocalError if another server runs on the folder. It is not stopped, because another process started it. */
function refuseSecondServer(folder: NodeFolder) {
  const running = runningNode(folder.dir);
  if (running === undefined) return;
  throw new LocalError(
    `OpenSearch ${running.version} already runs on ${folder.dir} (${running.url}, pid ${running.pid}): ` +
      `use that one (OPENSEARCH_URL=${running.url}), or stop the program that started it`,
  );
}

/** Prepares the node's folder for a start and returns the configured port. */
async function prepare(folder: NodeFolder, home: string, user: RunAs, options: StartOptions): Promise<number> {
  const { version, clean = false, heap = "512m", quickStart = false, settings: extra = {} } = options;
  if (clean) rmSync(folder.data, { recursive: true, force: true });
  mkdirSync(folder.dir, { recursive: true });
  claimData(folder, version);
  // Otherwise the log of an earlier start could be taken for the reason of a failure now.
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

async function healthy(
  url: string,
  version: OpenSearchVersion,
  { timeoutMs, died, server }: { timeoutMs: number; died: Promise<LocalError>; server: ServerProcess },
): Promise<void> {
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
