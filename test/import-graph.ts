import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

/** One import of a file of ours, of values or types. Both paths start at the repository's root. */
export interface Import {
  file: string;
  target: string;
  /** Whether the file is loaded without it: an `await import()`, a type, or in Python an import in a function. */
  dynamic: boolean;
  /** Whether the file is named by its package (`@relevance/lab/…`) instead of by a relative path. */
  byName: boolean;
}

/** Returns the path from the root of the file that an import names: by a relative path, or by one of our packages. */
export function targetOf(importer: string, specifier: string): string {
  const [, name, rest = ""] = /^@relevance\/([\w-]+)\/(.+)$/.exec(specifier) ?? [];
  if (name === undefined) return normalize(join(dirname(importer), specifier));
  return name === "lib" ? `lib/${rest}` : `packages/${name}/${rest}`;
}

/** What an import names: a file of ours. */
export const OURS = String.raw`(\.[^"]+|@relevance\/[\w-]+\/[^"]+)`;

/** Reads the imports of our files of every TypeScript file in a folder, and those of every Python file. */
export function importsOf(folder: string): Import[] {
  const typeScript = globSync(`${folder}/**/*.{ts,tsx,mjs}`).flatMap((file) =>
    typeScriptImports(file, readFileSync(file, "utf8")),
  );
  const python = globSync(`${folder}/**/*.py`).flatMap((file) => pythonImports(file, readFileSync(file, "utf8")));
  return [...typeScript, ...python];
}

const TYPE_SCRIPT = new RegExp(
  String.raw`(?:(?:import|export)\s+(type\s)[^"]*?from|from|(import\s*\(|import))\s*"${OURS}"`,
  "g",
);

/** Reads from the source of a TypeScript file what it imports of our files. */
export function typeScriptImports(file: string, source: string): Import[] {
  return [...source.matchAll(TYPE_SCRIPT)].map(([, type, keyword, path = ""]) => ({
    file,
    target: targetOf(file, path),
    dynamic: type !== undefined || (keyword?.includes("(") ?? false),
    byName: !path.startsWith("."),
  }));
}

/** Python files by module: which folder is searched is decided at run time, so the name alone tells. */
const MODULES = Map.groupBy(globSync("*/**/*.py", { exclude: ["node_modules", "packages/clients/python"] }), (file) =>
  basename(file, ".py"),
);

/** Reads from the source of a Python file what it imports of the Python files in `modules`. */
export function pythonImports(file: string, source: string, modules = MODULES): Import[] {
  return [...source.matchAll(/^([ \t]*)(?:from\s+([\w.]+)\s+)?import\s+(\([^)]*\)|.+)/gm)].flatMap(
    ([, indent, from = ".", names = ""]) =>
      // `from . import` names modules, as `import` does.
      (from === "." ? names : from)
        .split(/[\s,.()]+/)
        .flatMap((name) => modules.get(name) ?? [])
        .map((target) => ({ file, target, dynamic: indent !== "", byName: false })),
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
