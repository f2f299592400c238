import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../fixtures/env.ts";

/** Bytes of a package as it is sent, and as it lies on a disk with what it needs. */
export interface Sizes {
  packed: number;
  installed: number;
}

/** Returns the sizes of a tarball of npm whose package needs no others. */
export const sizesOfTarball = (file: string): Sizes => ({
  packed: statSync(file).size,
  installed: execFileSync("tar", ["-xzOf", file]).length,
});

/** Returns the sizes that the README of a client states. */
export function statedSizes(client: string): Sizes {
  const readme = readFileSync(join(ROOT, "packages/clients", client, "README.md"), "utf8");
  const [, packed, installed, unit] = /takes (\d+) kB packed and\s([\d.]+) (kB|MB) installed/.exec(readme) ?? [];
  return { packed: Number(packed) * 1_000, installed: Number(installed) * (unit === "MB" ? 1_000_000 : 1_000) };
}

/** Returns which sizes are over their limit, or differ from the stated ones by more than a tenth. */
export const wrongSizes = (sizes: Sizes, stated: Sizes, most: Sizes): string[] =>
  (["packed", "installed"] as const).flatMap((name) => {
    const size = sizes[name];
    if (size > most[name]) return [`${name}: ${size} bytes, more than ${most[name]}`];
    const isAsStated = Math.abs(size - stated[name]) <= size / 10;
    return isAsStated ? [] : [`${name}: ${size} bytes, but the README states ${stated[name]}`];
  });
