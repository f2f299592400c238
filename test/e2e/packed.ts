import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../fixtures/env.ts";

/** The name of the package. */
export const PACKAGE = "@relevance/cli";

/** Returns the guide's commands to start a project, the last of which, to start the local stack, is left out. */
export function startOf(): string[] {
  const guide = readFileSync(join(ROOT, "docs/guides/project.md"), "utf8");
  const [, block = ""] = /```sh\n([\s\S]*?)\nnpx relevance dev\n```/.exec(guide) ?? [];
  return block.split("\n");
}

/** Returns the guide's commands to update a project, the last of which, a plan, is left out. */
export function updateOf(): string[] {
  const guide = readFileSync(join(ROOT, "docs/guides/project.md"), "utf8");
  const [, block = ""] = /```sh\n(mv [\s\S]*?)\nnpx relevance plan\n```/.exec(guide) ?? [];
  return block.split("\n");
}

/** Packs the package into a folder, and returns the tarball's path. */
export function pack(folder: string): string {
  return execFileSync(process.execPath, [join(ROOT, "build/package.ts"), folder], { encoding: "utf8" }).trim();
}

/** Packs the files of a tarball beside it as another version. */
export function packAs(version: string, tarball: string): void {
  const folder = mkdtempSync(join(dirname(tarball), "again-"));
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  const manifest = join(folder, "package/package.json");
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), version }));
  execFileSync("tar", ["-czf", join(dirname(tarball), `relevance-cli-${version}.tgz`), "-C", folder, "package"]);
  rmSync(folder, { recursive: true });
}

/**
 * Puts a tarball into a folder as npm does, with the packages that it lists and no others. They are links to the
 * repository's, which spares the test a download of 400 MB; `make bench ARGS=package` lets npm install them. Writes
 * package.json as npm does.
 */
export function installPacked(tarball: string, folder: string): void {
  const manifest = join(folder, "package.json");
  const written = JSON.parse(readFileSync(manifest, "utf8"));
  const listed = { ...written.dependencies, [PACKAGE]: `file:${relative(folder, tarball)}` };
  writeFileSync(manifest, JSON.stringify({ ...written, dependencies: listed }));
  const modules = join(folder, "node_modules");
  const home = join(modules, PACKAGE);
  const isThere = existsSync(home);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", home]);
  // Newer than package.json, as after an installation.
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(home, "cli/relevance.mjs"), later, later);
  if (isThere) return;
  const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../node/bin/node", join(modules, ".bin/node"));
  symlinkSync(`../${PACKAGE}/cli/relevance.mjs`, join(modules, ".bin/relevance"));
}
