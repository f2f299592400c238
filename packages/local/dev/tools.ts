import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { checkCloud, checkPython, run } from "@relevance/local-aws/cloud/install.ts";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import { commandsFor, isOnPath, type System, type Tool } from "@relevance/processes/tools.ts";
import { checkMaven } from "../opensearch/install.ts";
import { findJdks } from "../opensearch/java.ts";
import { refuseSpace } from "../opensearch/start.ts";
import { chooseVersion, jdkFor, OPENSEARCH_VERSIONS } from "../opensearch/versions.ts";
import { connectTo } from "./opensearch.ts";
import type { DevOptions } from "./options.ts";

/** The program that was found, or the problem and what to do. */
export interface Finding {
  name: string;
  found?: string;
  problem?: string;
}

/** A program, and a function that checks it. */
export type Check = readonly [name: string, tool: Tool | undefined, look: () => string | Promise<string>];

/** Required disk space (bytes) for OpenSearch, moto, Terraform's provider and data. */
const LEAST_SPACE = 3e9;
/** Packages such as Middy 7 want this one; npm warns below it. Relevance runs on the Node 22 that it installs. */
const MINIMUM_NODE = 22;
/** Whose npm still installs everything. */
const OLDEST_NODE = 20;

/**
 * Throws MissingTool with every program that the local stack needs and this machine lacks. Parts that are already
 * installed need no programs. Throws LocalError for a folder in which OpenSearch cannot run, and for a configured
 * cluster that does not answer.
 */
export async function requireTools(options: DevOptions): Promise<void> {
  const { opensearchUrl, opensearchVersion, dir, installDir } = options;
  if (opensearchUrl) await connectTo(opensearchUrl);
  else refuseSpace({ dir });
  const checks: Check[] = [["Python", "python", async () => String(await checkCloud({ dir: installDir }))]];
  if (!opensearchUrl) {
    checks.push(
      ["Java", "java", () => java(opensearchVersion).found],
      [
        "Maven",
        "maven",
        async () => String(await checkMaven({ version: versionFor(opensearchVersion), dir: installDir })),
      ],
    );
  }
  const problems = (await findingsOf(checks)).flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new MissingTool(problems.join("\n"));
}

/** Returns the checks of everything that the local stack needs, whether it is already installed or not. */
export function localChecks({ opensearchVersion, dir, installDir }: DevOptions): Check[] {
  return [
    ["Node.js", "node", nodeVersion],
    ["npm", "node", () => onPath("npm")],
    ["make", "make", () => onPath("make")],
    ["Java", "java", () => java(opensearchVersion).found],
    ["Maven", "maven", () => onPath("mvn")],
    ["Python", "python", async () => `${await checkPython()} with venv`],
    ["disk space", undefined, () => spaceAt(installDir)],
    ["folder", undefined, () => pathOf(dir)],
  ];
}

/** Runs all checks, even if some fail. A problem ends with how to install the program, by default on this system. */
export function findingsOf(checks: readonly Check[], system?: System): Promise<Finding[]> {
  return Promise.all(
    checks.map(async ([name, tool, look]) => {
      try {
        return { name, found: await look() };
      } catch (error) {
        const commands = tool === undefined ? [] : commandsFor(tool, system).map((command) => `\n  ${command}`);
        return { name, problem: `${(error as Error).message}${commands.join("")}` };
      }
    }),
  );
}

function java(wanted: DevOptions["opensearchVersion"]) {
  const jdks = findJdks();
  const { version, jdk } = wanted ? { version: wanted, jdk: jdkFor(wanted, jdks) } : chooseVersion(jdks);
  return { version, found: `${jdk.major} in ${jdk.home}, for OpenSearch ${version}` };
}

/**
 * Returns the version that will run. Without a suitable Java, returns the version for which Maven is needed in any
 * case.
 */
function versionFor(wanted: DevOptions["opensearchVersion"]) {
  try {
    return java(wanted).version;
  } catch {
    return wanted ?? OPENSEARCH_VERSIONS[0];
  }
}

async function nodeVersion(): Promise<string> {
  const { missing, output } = await run("node", ["--version"]);
  const version = output.trim().replace(/^v/, "");
  if (missing) throw new MissingTool("There is no node on the PATH");
  if (Number.parseInt(version, 10) < OLDEST_NODE)
    throw new MissingTool(`Node.js is ${version}: ${MINIMUM_NODE} or newer is needed`);
  if (Number.parseInt(version, 10) >= MINIMUM_NODE) return version;
  return `${version}, older than ${MINIMUM_NODE}, which npm needs; relevance runs on the one that it installed`;
}

function onPath(name: string): string {
  if (isOnPath(name)) return "on the PATH";
  throw new MissingTool(`There is no ${name} on the PATH`);
}

async function spaceAt(folder: string): Promise<string> {
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  const { bavail, bsize } = await statfs(there);
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB`;
  if (bavail * bsize >= LEAST_SPACE) return free;
  throw new LocalError(`${there} has ${free} left, and the local stack needs ${LEAST_SPACE / 1e9} GB: make room`);
}

function pathOf(dir: string): string {
  refuseSpace({ dir });
  return dir;
}
