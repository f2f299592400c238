import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import type { Jdk } from "./java.ts";

/** The versions whose parts are all in the Maven repository. Only these two have neural-search there. */
export const OPENSEARCH_VERSIONS = ["2.19.6", "3.6.0"] as const;

export type OpenSearchVersion = (typeof OPENSEARCH_VERSIONS)[number];

interface Facts {
  /** The Java major versions that it runs on. */
  java: { min: number; max: number };
  /** Size of the download for the first installation. */
  downloadMb: number;
}

/** 2.19 needs the security manager, which Java 24 removed. Java 22 and 23 were not tested, so 21 is the maximum. */
export const FACTS: Readonly<Record<OpenSearchVersion, Facts>> = {
  "2.19.6": { java: { min: 17, max: 21 }, downloadMb: 73 },
  "3.6.0": { java: { min: 21, max: Number.POSITIVE_INFINITY }, downloadMb: 180 },
};

/** Returns the version with this name. Throws LocalError that lists the known versions. */
export function opensearchVersion(name: string): OpenSearchVersion {
  const version = OPENSEARCH_VERSIONS.find((known) => known === name);
  if (version) return version;
  throw new LocalError(
    `OpenSearch ${JSON.stringify(name)} cannot be installed: use ${OPENSEARCH_VERSIONS.join(" or ")}`,
  );
}

/**
 * Returns a suitable Java for this version: JAVA_HOME if it is suitable, else the first one found. Throws MissingTool.
 */
export function jdkFor(version: OpenSearchVersion, jdks: readonly Jdk[]): Jdk {
  const jdk = jdks.find((candidate) => fits(version, candidate));
  if (jdk) return jdk;
  throw new MissingTool(`OpenSearch ${version} needs ${needs(version)}; ${found(jdks)}. ${WAY_OUT}`);
}

/**
 * Returns a version that this machine's Java can run: 2.19.6 (half the size, half the start time) with a JDK 17 to 21,
 * otherwise 3.6.0. Throws MissingTool with the Java that was found and the one that is needed.
 */
export function chooseVersion(jdks: readonly Jdk[]): { version: OpenSearchVersion; jdk: Jdk } {
  for (const version of OPENSEARCH_VERSIONS) {
    const jdk = jdks.find((candidate) => fits(version, candidate));
    if (jdk) return { version, jdk };
  }
  const wanted = OPENSEARCH_VERSIONS.map((version) => `${needs(version)} for OpenSearch ${version}`).join(", or ");
  throw new MissingTool(`OpenSearch needs Java: ${wanted}; ${found(jdks)}. ${WAY_OUT}`);
}

const WAY_OUT = "Install one, or set JAVA_HOME to the folder of one";

const fits = (version: OpenSearchVersion, { major }: Jdk) =>
  major >= FACTS[version].java.min && major <= FACTS[version].java.max;

function needs(version: OpenSearchVersion): string {
  const { min, max } = FACTS[version].java;
  return Number.isFinite(max) ? `a JDK ${min} to ${max}` : `a JDK ${min} or newer`;
}

function found(jdks: readonly Jdk[]): string {
  if (jdks.length === 0) return "no Java was found";
  return `found ${jdks.map(({ major, home }) => `Java ${major} in ${home}`).join(", ")}`;
}
