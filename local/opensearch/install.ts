import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { LocalError, MissingTool } from "../process/error.ts";
import { scratchFolder } from "../process/scratch.ts";
import { findJdks, type Jdk } from "./java.ts";
import { writeModuleDescriptors } from "./modules.ts";
import { FACTS, jdkFor, type OpenSearchVersion } from "./versions.ts";

const POM = fileURLToPath(new URL("./pom.xml", import.meta.url));

/** Raise this when existing installations must be replaced. */
const LAYOUT = 2;

export interface InstallOptions {
  version: OpenSearchVersion;
  /** Gets a folder `opensearch-<version>`; downloads themselves stay in Maven's own repository. */
  dir: string;
  /** Default: those of this machine. Maven runs on the one that will run the server. */
  jdks?: readonly Jdk[];
  /** The Maven command; default `mvn`. */
  maven?: string;
  /** A line for the user, now and then. */
  onProgress?: (line: string) => void;
}

/**
 * Puts a server with k-NN and neural-search together from the Maven repository, once, and gives its folder. Made
 * beside its place and moved there when complete: an interrupted or a concurrent installation leaves nothing half done.
 * Throws MissingTool without Maven or a fitting Java, LocalError when the download fails.
 */
export async function installOpenSearch(options: InstallOptions): Promise<string> {
  const { version, jdks, maven = "mvn", onProgress = () => {} } = options;
  const dir = resolve(options.dir);
  const home = join(dir, `opensearch-${version}`);
  if (isComplete(home)) return home;

  const jdk = jdkFor(version, jdks ?? findJdks());
  const staging = scratchFolder(dir, ".installing");
  try {
    onProgress(`installing OpenSearch ${version} (${FACTS[version].downloadMb} MB to download, once)`);
    await unpack({ version, staging, maven, jdk, onProgress });
    const staged = join(staging, `opensearch-${version}`);
    if (version === "2.19.6") writeModuleDescriptors(staged, version);
    writeFileSync(marker(staged), `${LAYOUT}\n`);
    moveInto(staged, home);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  onProgress(`installed OpenSearch ${version}`);
  return home;
}

const marker = (home: string) => join(home, ".complete");

function isComplete(home: string): boolean {
  return existsSync(marker(home)) && readFileSync(marker(home), "utf8") === `${LAYOUT}\n`;
}

function moveInto(staged: string, home: string) {
  try {
    renameSync(staged, home);
  } catch (error) {
    // Another process may have finished the same one meanwhile, and a server may run from it already.
    if (isComplete(home)) return;
    if (!existsSync(home)) throw error;
    rmSync(home, { recursive: true, force: true });
    renameSync(staged, home);
  }
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
  // Warnings of the JVM about Maven itself, or why there is no JVM at all.
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
  return new MissingTool(
    `OpenSearch ${version} is put together by Maven, and there is no ${maven} on the PATH. Install Maven 3.6 or newer`,
    { cause: error },
  );
}

function downloadFailed(version: string, code: number | null, firstError: string | undefined): string {
  const why = firstError ? `\n  Maven said: ${firstError}` : "";
  return (
    `OpenSearch ${version} could not be downloaded (mvn ended with ${code}).${why}\n` +
    "  Maven takes it from Maven Central or the mirror of your settings.xml: check the network and run this again; " +
    "what has arrived is kept"
  );
}
