import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import { readIfThere } from "@relevance/processes/files.ts";
import { installOnce } from "@relevance/processes/install.ts";
import { isOnPath } from "@relevance/processes/tools.ts";
import { findJdks, type Jdk } from "./java.ts";
import { FACTS, jdkFor, type OpenSearchVersion } from "./versions.ts";

const POM = fileURLToPath(new URL("./pom.xml", import.meta.url));

/** Increase this number to replace existing installations. */
const LAYOUT = 3;

/**
 * Replaces the program by which the launcher checks, before each start, whether the keystore has a password. It would
 * start another Java, a seventh of the start's processor time.
 */
const NO_PASSWORD =
  "#!/bin/sh\n# This server is for tests and trials: its keystore has no password, and no secrets.\nexit 1\n";

interface InstallOptions {
  version: OpenSearchVersion;
  /** The folder `opensearch-<version>` is created in this one. Downloads stay in Maven's local repository. */
  dir: string;
  /** Default: those of this machine. Maven uses the same one as the server. */
  jdks?: readonly Jdk[];
  /** The Maven command. Default: `mvn`. */
  maven?: string;
  /** Called with progress messages for the user. */
  onProgress?: (line: string) => void;
}

/**
 * Assembles a server with k-NN and neural-search from the Maven repository, once, and returns its folder. Throws
 * MissingTool without Maven or a suitable Java, and LocalError if the download fails.
 */
export async function installOpenSearch(options: InstallOptions): Promise<string> {
  const { version, dir, jdks, maven = "mvn", onProgress = () => {} } = options;
  const build = async (staged: string) => {
    const jdk = jdkFor(version, jdks ?? findJdks());
    onProgress(`installing OpenSearch ${version} (${FACTS[version].downloadMb} MB to download, once)`);
    await unpack({ version, staging: dirname(staged), maven, jdk, onProgress });
    if (version === "2.19.6") writeModuleDescriptors(staged, version);
    writeFileSync(join(staged, "bin", "opensearch-keystore"), NO_PASSWORD);
    writeFileSync(marker(staged), `${LAYOUT}\n`);
    onProgress(`installed OpenSearch ${version}`);
  };
  return installOnce({ dir, name: `opensearch-${version}`, isComplete, build, onProgress });
}

/** Throws MissingTool if this version is not installed, and there is no Maven to install it. */
export async function checkMaven({ version, dir, maven = "mvn" }: Omit<InstallOptions, "jdks">): Promise<void> {
  if (isComplete(join(dir, `opensearch-${version}`))) return;
  if (!isOnPath(maven)) throw noMaven(maven, version);
}

const marker = (home: string) => join(home, ".complete");

function isComplete(home: string): boolean {
  return readIfThere(marker(home)) === `${LAYOUT}\n`;
}

interface Unpacking {
  version: OpenSearchVersion;
  staging: string;
  maven: string;
  jdk: Jdk;
  onProgress: (line: string) => void;
}

async function unpack({ version, staging, maven, jdk, onProgress }: Unpacking): Promise<void> {
  const profile = version === "2.19.6" ? ["-P", "modules-from-jars"] : [];
  const args = ["-B", "-f", POM, `-Dos=${version}`, `-Dhome=${staging}`, ...profile, "generate-resources"];
  const child = spawn(maven, args, {
    cwd: dirname(POM),
    env: { ...process.env, JAVA_HOME: jdk.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  // Contains JVM warnings about Maven itself, or the reason why there is no JVM.
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const archive = /Downloaded from \S+: \S*\/(\S+\.zip) \(([^)]+)\)/.exec(line);
    if (archive) onProgress(`  ${archive[1]}: ${archive[2]}`);
    if (line.startsWith("[ERROR] ")) errors.push(line.slice("[ERROR] ".length));
  });
  const code = await new Promise<number | null>((done, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => reject(mavenMissing(error, maven, version)));
    child.once("close", (status) => done(status));
  });
  if (code !== 0) throw new LocalError(downloadFailed(version, code, errors[0] ?? complaints.at(-1)));
}

function mavenMissing(error: NodeJS.ErrnoException, maven: string, version: string): Error {
  if (error.code !== "ENOENT") return new LocalError(`could not run ${maven}: ${error.message}`, { cause: error });
  return noMaven(maven, version, error);
}

function noMaven(maven: string, version: string, cause?: Error): MissingTool {
  return new MissingTool(
    `OpenSearch ${version} is assembled by Maven, and there is no ${maven} on the PATH. Install Maven 3.6 or newer`,
    { cause },
  );
}

function downloadFailed(version: string, code: number | null, firstError: string | undefined): string {
  const why = firstError ? `\n  Maven said: ${firstError}` : "";
  return (
    `OpenSearch ${version} could not be downloaded (mvn ended with ${code}).${why}\n` +
    "  Maven takes it from Maven Central or the mirror of your settings.xml: check the network and run this again; " +
    "files that were already downloaded are kept"
  );
}

interface Module {
  /** The class without "org.opensearch." at the beginning. */
  plugin: string;
  /** A module whose classes this one uses. */
  extends?: string;
  /** Permissions for the Java security manager, which 2.19 uses. */
  policy?: readonly string[];
}

const PAINLESS = "lang-painless";

/**
 * The modules of 2.19 that are published only as jars. In 3.x the classes have other names (`PainlessModulePlugin`),
 * and the server does not start with a wrong name. The policies are those of the server's own distribution.
 */
const MODULES: Readonly<Record<string, Module>> = {
  [PAINLESS]: {
    plugin: "painless.PainlessPlugin",
    policy: ['java.lang.RuntimePermission "createClassLoader"', 'java.lang.RuntimePermission "getClassLoader"'],
  },
  "lang-mustache": {
    plugin: "script.mustache.MustachePlugin",
    policy: ['java.lang.RuntimePermission "accessDeclaredMembers"'],
  },
  reindex: {
    plugin: "index.reindex.ReindexPlugin",
    policy: ['java.net.SocketPermission "*", "connect"', 'java.net.NetPermission "getProxySelector"'],
  },
  "ingest-common": { plugin: "ingest.common.IngestCommonPlugin", extends: PAINLESS },
  "rank-eval": { plugin: "index.rankeval.RankEvalPlugin" },
  "mapper-extras": { plugin: "index.mapper.MapperExtrasPlugin" },
  "search-pipeline-common": {
    plugin: "search.pipeline.common.SearchPipelineCommonModulePlugin",
    extends: PAINLESS,
  },
  "analysis-common": { plugin: "analysis.common.CommonAnalysisPlugin", extends: PAINLESS },
  "parent-join": { plugin: "join.ParentJoinPlugin" },
  percolator: { plugin: "percolator.PercolatorPlugin" },
  geo: { plugin: "geo.GeoModulePlugin" },
  "aggs-matrix-stats": { plugin: "search.aggregations.matrix.MatrixAggregationPlugin" },
};

/** Writes the descriptor and the security policy that the server requires for each module. `home` is its folder. */
function writeModuleDescriptors(home: string, version: string): void {
  for (const [name, { plugin, extends: parent = "", policy }] of Object.entries(MODULES)) {
    const folder = join(home, "modules", name);
    mkdirSync(folder, { recursive: true });
    const properties = {
      description: name,
      version,
      name,
      classname: `org.opensearch.${plugin}`,
      "java.version": "11",
      "opensearch.version": version,
      "custom.foldername": "",
      "extended.plugins": parent,
      "has.native.controller": "false",
    };
    const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(join(folder, "plugin-descriptor.properties"), lines.join(""));
    if (!policy) continue;
    const permissions = policy.map((one) => `  permission ${one};\n`).join("");
    writeFileSync(join(folder, "plugin-security.policy"), `grant {\n${permissions}};\n`);
  }
}
