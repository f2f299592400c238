import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** A package of which a bundle contains code. */
export interface Component {
  name: string;
  version: string;
  /** The SPDX expression of its package.json; "" if that has none. */
  license: string;
  /** Its folder, from the root of the build. */
  folder: string;
  /** Bytes of its code in the bundle. */
  bytes: number;
}

/** A path of a bundle's input up to its package: the last `node_modules/`, as packages may contain others. */
const FOLDER = /^(.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Returns the packages in a bundle that esbuild made in the folder `root`, sorted by name and version. */
export function componentsOf({ outputs }: Metafile, root: string): Component[] {
  const bytes = new Map<string, number>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = FOLDER.exec(path)?.[1];
      if (folder !== undefined && bytesInOutput > 0) bytes.set(folder, (bytes.get(folder) ?? 0) + bytesInOutput);
    }
  }
  const components = [...bytes].map(([folder, size]) => ({ ...described(root, folder), bytes: size }));
  return components.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

const idOf = ({ name, version }: Component) => `${name}@${version}`;

/** Returns what a package's folder says of it, without code in a bundle. */
export function described(root: string, folder: string): Component {
  const { name, version, license = "" } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  return { name, version, license, folder, bytes: 0 };
}

const TEXTS = /^(?:licen[cs]e|notice)(?:[.-].*)?$/i;

/**
 * Returns the licences and notices of packages as one text, each text once below the names of its packages. Their
 * licences demand that whoever distributes the code distributes these, too. A package without such a file is listed
 * with the licence that its package.json names.
 */
export function licenseTexts(components: readonly Component[], root: string): string {
  const packages = new Map<string, string[]>();
  for (const component of components) {
    const folder = join(root, component.folder);
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => TEXTS.test(file)) : [];
    const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
    const text = texts.length > 0 ? texts.join("\n\n") : `Licence: ${component.license}`;
    packages.set(text, [...(packages.get(text) ?? []), idOf(component)]);
  }
  return [...packages].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`).join(`\n${"=".repeat(80)}\n\n`);
}
