import type { Jdk } from "../../packages/local/opensearch/java.ts";
import {
  chooseVersion,
  OPENSEARCH_VERSIONS,
  type OpenSearchVersion,
  opensearchVersion,
} from "../../packages/local/opensearch/versions.ts";

/** What a run was asked for. */
export interface Wanted {
  words: readonly string[];
  all: boolean;
  serve: boolean;
}

/**
 * Returns the versions to test against: `only` that one if it is given, otherwise every version. A second version takes
 * minutes, so a run that asks for nothing in particular uses only the one that fits the machine's Java. Throws LocalError
 * if `only` is unknown, and MissingTool if no version fits.
 */
export function wantedVersions(
  only: string | undefined,
  { words, all, serve }: Wanted,
  jdks: readonly Jdk[],
): readonly OpenSearchVersion[] {
  if (only) return [opensearchVersion(only)];
  return all || serve || words.length > 0 ? OPENSEARCH_VERSIONS : [chooseVersion(jdks).version];
}
