import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** `unit` needs nothing, `integration` files share servers, `terraform` files run it against a cloud of their own. */
export type Layer = "unit" | "integration" | "terraform";

/** In the order in which they run. */
export const LAYERS: readonly Layer[] = ["unit", "integration", "terraform"];

/** The layer of a test file, by its folder. `file` is relative to the repository's root. */
export function layerOf(file: string): Layer {
  if (/^test\/(e2e|infrastructure)\//.test(file)) return "terraform";
  return file.startsWith("test/integration/") ? "integration" : "unit";
}

export interface Selection {
  /** Files whose path contains one of these; all when there are none. */
  words: readonly string[];
  unitOnly: boolean;
}

/** The test files below `root` that were asked for, relative to it, sorted by path within the order of their layers. */
export function selectFiles(root: string, { words, unitOnly }: Selection): string[] {
  const files = globSync("test/**/*.test.ts", { cwd: root }).sort();
  const selected = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const layers = unitOnly ? LAYERS.filter((layer) => layer === "unit") : LAYERS;
  return layers.flatMap((layer) => selected.filter((file) => layerOf(file) === layer));
}

/** Every file below `root` that `file` imports by a relative path, directly or not; all relative to `root`. */
export function importsOf(root: string, file: string): Set<string> {
  const found = new Set<string>();
  const visit = (importer: string) => {
    const source = readFileSync(join(root, importer), "utf8");
    for (const [, path = ""] of source.matchAll(/(?:from|import\s*\(|import)\s*"(\.[^"]+)"/g)) {
      const target = normalize(join(dirname(importer), path));
      if (found.has(target) || !existsSync(join(root, target))) continue;
      found.add(target);
      visit(target);
    }
  };
  visit(file);
  return found;
}
