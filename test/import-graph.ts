import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** One relative import, of values or types. Both paths start at the repository's root. */
export interface Import {
  file: string;
  target: string;
  /** Whether it is an `await import()`. */
  dynamic: boolean;
}

/** Reads the relative imports of every TypeScript file in a folder. */
export function importsOf(folder: string): Import[] {
  return globSync(`${folder}/**/*.{ts,tsx}`).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    return [...source.matchAll(/(?:from|(import\s*\(|import))\s*"(\.[^"]+)"/g)].map(([, dynamic, path = ""]) => ({
      file,
      target: normalize(join(dirname(file), path)),
      dynamic: dynamic?.includes("(") ?? false,
    }));
  });
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
