import { importsOf } from "../../test/import-graph.ts";
import { layerOf } from "../../test/runner/files.ts";

/** Returns for each file the unit tests that reach it by imports, the nearest first. Run it in the repository's root. */
export function nearestTests(files: readonly string[]): Map<string, string[]> {
  const imports = ["lib", "functions", "build", "local", "cli", "stacks", "test", "bench"].flatMap(importsOf);
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
