import { join } from "node:path";
import { installOpenSearch } from "../../packages/local/opensearch/install.ts";
import { findJdks } from "../../packages/local/opensearch/java.ts";
import { startOpenSearch } from "../../packages/local/opensearch/start.ts";
import { jdkFor, type OpenSearchVersion } from "../../packages/local/opensearch/versions.ts";
import { MissingTool } from "../../packages/processes/error.ts";
import { formatPairs, OPENSEARCH_ENV, parsePairs } from "../fixtures/env.ts";
import { installFolder } from "../fixtures/opensearch.ts";
import { type Wanted, wantedVersions } from "./opensearch-versions.ts";
import type { SharedFixture } from "./shared-fixture.ts";

/** One empty OpenSearch of each version that {@link wantedVersions} returns. */
export const sharedOpenSearch = (run: Wanted): SharedFixture => ({
  name: "OpenSearch",
  needed: (_file, imports) => imports.has("test/fixtures/opensearch.ts"),

  async start({ folder, say }) {
    const given = process.env[OPENSEARCH_ENV];
    if (given)
      return { env: { [OPENSEARCH_ENV]: given }, clean: cleaning(Object.values(parsePairs(given))), async stop() {} };

    const jdks = findJdks();
    const wanted = wantedVersions(process.env.OPENSEARCH_VERSION, run, jdks);
    const { possible, unavailable } = split(wanted, (version) => jdkFor(version, jdks));
    if (possible.length === 0) throw new MissingTool(unavailable.join("\n"));

    // One after the other, because both would fetch the same Maven plugins at once.
    for (const version of possible) {
      await installOpenSearch({ version, dir: installFolder(version), jdks, onProgress: say });
    }
    const starts = await Promise.allSettled(
      possible.map((version) =>
        startOpenSearch({
          version,
          dir: installFolder(version),
          nodeDir: join(folder, `opensearch-${version}`),
          quickStart: true,
          jdks,
          onProgress: say,
        }),
      ),
    );
    const servers = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const stop = async () => {
      await Promise.all(servers.map((server) => server.stop()));
    };
    const failed = starts.find((start) => start.status === "rejected");
    if (failed) {
      await stop();
      throw failed.reason;
    }
    const urls = Object.fromEntries(servers.map(({ version, url }) => [version, url]));
    const died = Promise.race(servers.map((server) => server.died));
    return {
      env: { [OPENSEARCH_ENV]: formatPairs(urls) },
      unavailable,
      died,
      clean: cleaning(Object.values(urls)),
      stop,
    };
  },
});

/**
 * Returns what deletes the indexes with a word in their names: hundreds of them would keep each server busy for a twentieth
 * of a processor, as it looks at every one each second.
 */
export const cleaning = (urls: readonly string[]) => async (word: string) => {
  // A server that has died is reported as such.
  await Promise.allSettled(urls.map((url) => fetch(new URL(`*-${word}-*`, url), { method: "DELETE" })));
};

/** Splits versions into those that this machine has the tools for, and the reasons why not for the others. */
function split(versions: readonly OpenSearchVersion[], check: (version: OpenSearchVersion) => void) {
  const possible: OpenSearchVersion[] = [];
  const unavailable: string[] = [];
  for (const version of versions) {
    try {
      check(version);
      possible.push(version);
    } catch (error) {
      if (!(error instanceof MissingTool)) throw error;
      unavailable.push(error.message);
    }
  }
  return { possible, unavailable };
}
