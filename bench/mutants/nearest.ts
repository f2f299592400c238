import { importsOf } from "../../test/import-graph.ts";
import { layerOf } from "../../test/runner/files.ts";

/** Returns for each file the unit tests that reach it by imports, the nearest first. Run it in the repository's root. */
export function nearestTests(files: readonly string[]): Map<string, string[]> {
  const imports = ["lib", "functions", "build", "packages", "cli", "stacks", "test", "bench"].flatMap(importsOf);
  const importers = Map.groupBy(imports, ({ target }) => target);
  return new Map(
    files.map((file) => [file, testsOf(file, (path) => (importers.get(path) ?? []).map((one) => one.file))]),
  );
}

/** Searches breadth first. Among tests of one distance the one whose path is that of the file comes first. */
function testsOf(file: string, importersOf: (path: string) => readonly string[]): string[] {
  const own = `test/${file.replace(/\.ts$/, "")}`;
  const seen = new Set([file]);
  const tests: string[] = [];
  for (let level = [file]; level.length > 0; ) {
    level = [...new Set(level.flatMap(importersOf))].filter((path) => !seen.has(path)).sort();
    for (const path of level) seen.add(path);
    const ofLevel = level.filter((path) => path.endsWith(".test.ts") && layerOf(path) === "unit");
    tests.push(...ofLevel.toSorted((a, b) => Number(b.startsWith(own)) - Number(a.startsWith(own))));
  }
  return tests;
}

/**
 * Integration tests by what they call through the built gateway, where no import leads to: the nearest first. Played
 * when servers run (TEST_OPENSEARCH), to mutants that no unit test notices.
 */
const INTEGRATION: Readonly<Record<string, readonly string[]>> = {
  "lib/search/index/import/": ["index-import"],
  "lib/search/index/": ["index-rebuild", "index-switch", "index-commands"],
  "lib/search/bulk/": ["bulk", "bulk-embedding", "bulk-lost-answers", "bulk-faults", "bulk-conditions"],
  "lib/search/raw/": ["raw-backend", "raw-backend-outcome", "raw-backend-native"],
  "lib/search/run/multi-search": ["instantsearch"],
  "lib/search/run/": ["answers-before-stages", "personalized-search", "search", "search-faults"],
  "lib/search/stages/": ["page-stages", "rerank", "rules-and-stages"],
  "lib/search/page/": ["page-stages", "personalized-search"],
  "lib/search/sources/hybrid/": ["hybrid-search", "answers-before-stages", "tune"],
  "lib/search/sources/": ["search", "hybrid-search"],
  "lib/search/fusion/": ["fusion"],
  "lib/search/suggest/": ["suggest"],
  "lib/search/tools/": ["mcp"],
  "lib/search/request-log/": ["search-events", "request-log-user-ids"],
  "lib/search/access/": ["access-attempts", "raw-backend"],
  "lib/search/resolve/": ["index-expressions", "hybrid-search"],
  "lib/search/opensearch/": ["search-faults", "index-replaced", "raw-backend-wire"],
  "lib/search/embeddings/": ["bulk-models", "bulk-paused-model"],
  "lib/recommendation/sync/": ["recommendation-realtime-sync"],
  "lib/recommendation/etl/": ["etl"],
  "lib/recommendation/training/": ["training-gate", "training"],
  "lib/recommendation/clients/": ["recommendation-records", "etl"],
  "lib/recommendation/ingest/": ["recommendation-realtime", "recommendation-ingest", "recommendation-records"],
  "lib/recommendation/api/": ["recommendation-recommend"],
  "lib/recommendation/lists/": ["recommendation-recommend", "recommendation-degraded"],
  "functions/api-router/": ["hybrid-search", "callers-faults", "tune"],
};

/** Returns the integration tests of the folder of a file. */
export function integrationTests(file: string): string[] {
  const [, names = []] = Object.entries(INTEGRATION).find(([folder]) => file.startsWith(folder)) ?? [];
  return names.map((name) => `test/integration/${name}.test.ts`);
}
