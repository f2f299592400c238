import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

/** One import of a file of ours, of values or types. Both paths start at the repository's root. */
export interface Import {
  file: string;
  target: string;
  /** Whether the file is loaded without it: an `await import()`, a type, or in Python an import in a function. */
  dynamic: boolean;
}

/** Reads the relative imports of every TypeScript file in a folder, and those of every Python file. */
export function importsOf(folder: string): Import[] {
  const typeScript = globSync(`${folder}/**/*.{ts,tsx,mjs}`).flatMap((file) =>
    typeScriptImports(file, readFileSync(file, "utf8")),
  );
  const python = globSync(`${folder}/**/*.py`).flatMap((file) => pythonImports(file, readFileSync(file, "utf8")));
  return [...typeScript, ...python];
}

const TYPE_SCRIPT = /(?:(?:import|export)\s+(type\s)[^"]*?from|from|(import\s*\(|import))\s*"(\.[^"]+)"/g;

/** Reads the relative imports of the source of a TypeScript file. */
export function typeScriptImports(file: string, source: string): Import[] {
  return [...source.matchAll(TYPE_SCRIPT)].map(([, type, keyword, path = ""]) => ({
    file,
    target: normalize(join(dirname(file), path)),
    dynamic: type !== undefined || (keyword?.includes("(") ?? false),
  }));
}

/** Python files by module: which folder is searched is decided at run time, so the name alone tells. */
const MODULES = Map.groupBy(globSync("*/**/*.py", { exclude: ["node_modules", "packages/clients/python"] }), (file) =>
  basename(file, ".py"),
);

/** Reads from the source of a Python file what it imports of the Python files in `modules`. */
export function pythonImports(file: string, source: string, modules = MODULES): Import[] {
  return [...source.matchAll(/^([ \t]*)(?:from\s+([\w.]+)\s+import\b|import\s+(.+))/gm)].flatMap(
    ([, indent, from, names = ""]) =>
      (from ?? names)
        .split(/[\s,.]+/)
        .flatMap((name) => modules.get(name) ?? [])
        .map((target) => ({ file, target, dynamic: indent !== "" })),
  );
}

/**
 * Returns the groups of nodes that reach one another, each sorted; a graph without cycles has none.
 * Source: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972.
 */
export function cyclesOf(edges: Iterable<readonly [from: string, to: string]>): string[][] {
  const next = Map.groupBy(edges, ([from]) => from);
  const index = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const lowest = (node: string): number => {
    const own = index.size;
    let low = own;
    index.set(node, own);
    stack.push(node);
    for (const [, to] of next.get(node) ?? []) {
      if (!index.has(to)) low = Math.min(low, lowest(to));
      else if (stack.includes(to)) low = Math.min(low, index.get(to) ?? low);
    }
    if (low === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) cycles.push(group.sort());
    }
    return low;
  };
  for (const node of next.keys()) if (!index.has(node)) lowest(node);
  return cycles;
}
