import type { Jdk } from "../../local/opensearch/java.ts";
import {
  chooseVersion,
  OPENSEARCH_VERSIONS,
  type OpenSearchVersion,
  opensearchVersion,
} from "../../local/opensearch/versions.ts";

/**
 * Returns the versions to test against: the only one if it is given, otherwise every version or the one that fits the
 * machine's Java. Throws LocalError if `only` is unknown, and MissingTool if no version fits.
 */
export function wantedVersions(
  only: string | undefined,
  everyVersion: boolean,
  jdks: readonly Jdk[],
): readonly OpenSearchVersion[] {
  if (only) return [opensearchVersion(only)];
  return everyVersion ? OPENSEARCH_VERSIONS : [chooseVersion(jdks).version];
}
