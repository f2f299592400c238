import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A Java installation on this machine. */
export interface Jdk {
  home: string;
  major: number;
}

/** Places to search for Java. {@link findJdks} searches this machine's by default. */
export interface JavaPlaces {
  env: NodeJS.ProcessEnv;
  /** Glob patterns of Java homes. */
  roots: readonly string[];
}

// Where Linux distributions, container images, Homebrew, macOS, SDKMAN, asdf, mise and IntelliJ install Java.
const ROOTS = [
  "/usr/lib/jvm/*",
  "/usr/java/*",
  "/opt/java/*",
  "/opt/jdk*",
  "/opt/homebrew/opt/openjdk*",
  "/usr/local/opt/openjdk*",
  "/Library/Java/JavaVirtualMachines/*/Contents/Home",
  join(homedir(), ".sdkman/candidates/java/*"),
  join(homedir(), ".asdf/installs/java/*"),
  join(homedir(), ".local/share/mise/installs/java/*"),
  join(homedir(), ".jdks/*"),
];

/** Returns the major version in a JDK's `release` file (`JAVA_VERSION="17.0.15"`; 1.8 is 8), or undefined. */
export function majorOfRelease(text: string): number | undefined {
  return majorOf(/^JAVA_VERSION="([^"]+)"/m.exec(text)?.[1]);
}

/** Returns the major version in the output of `java -version` (`openjdk version "25.0.3" 2026-04-21`). */
export function majorOfVersionOutput(text: string): number | undefined {
  return majorOf(/\bversion "([^"]+)"/.exec(text)?.[1]);
}

function majorOf(version: string | undefined): number | undefined {
  const [, first, second] = /^(\d+)(?:\.(\d+))?/.exec(version ?? "") ?? [];
  if (first === undefined) return undefined;
  return first === "1" && second !== undefined ? Number(second) : Number(first);
}

/**
 * Finds all Java installations: JAVA_HOME and variables such as JAVA_HOME_17, JAVA17_HOME or JAVA_HOME_21_X64, then
 * `java` on the PATH, then their sibling folders and the usual places. Lists each home once, in this order.
 */
export function findJdks(places: JavaPlaces = { env: process.env, roots: ROOTS }): Jdk[] {
  const { env, roots } = places;
  const named = [...homesOfEnvironment(env), ...homesOnPath(env)].map(realHome).filter((home) => home !== undefined);
  const besides = named.flatMap((home) => globSync(join(dirname(home), "*")));
  const candidates = [...named, ...[...besides, ...roots.flatMap((root) => globSync(root))].sort()];

  const found = new Map<string, Jdk>();
  for (const candidate of candidates) {
    const home = realHome(candidate);
    if (home === undefined || found.has(home)) continue;
    const major = majorOfHome(home);
    if (major !== undefined) found.set(home, { home, major });
  }
  return [...found.values()];
}

function homesOfEnvironment(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).filter((name) => /^(JAVA|JDK)_?\d*_HOME(_\w+)?$|^(JAVA|JDK)_?\d+$/.test(name));
  // JAVA_HOME itself comes first, because it is the user's choice.
  names.sort((a, b) => Number(b === "JAVA_HOME") - Number(a === "JAVA_HOME") || a.localeCompare(b));
  return names.map((name) => env[name] ?? "").filter((home) => home !== "");
}

function homesOnPath(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const launchers = folders.map((folder) => join(folder, "java")).filter((file) => existsSync(file));
  return launchers.map((launcher) => homeOfLauncher(launcher)).filter((home) => home !== undefined);
}

/** Returns the Java home of a `java` command by following its links, or by running it if it is a launcher script. */
function homeOfLauncher(launcher: string): string | undefined {
  const home = dirname(dirname(realpathSync(launcher)));
  if (existsSync(join(home, "release"))) return home;
  const { stderr } = spawnSync(launcher, ["-XshowSettings:properties", "-version"], { encoding: "utf8" });
  return /^\s*java\.home = (.+)$/m.exec(stderr ?? "")?.[1];
}

function realHome(home: string): string | undefined {
  if (!existsSync(join(home, "bin", "java"))) return undefined;
  return realpathSync(home);
}

function majorOfHome(home: string): number | undefined {
  const release = join(home, "release");
  const written = existsSync(release) ? majorOfRelease(readFileSync(release, "utf8")) : undefined;
  if (written !== undefined) return written;
  return majorOfVersionOutput(spawnSync(join(home, "bin", "java"), ["-version"], { encoding: "utf8" }).stderr ?? "");
}
