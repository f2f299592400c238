import { globSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { PACKAGE_FOLDER } from "../../lib/platform/folders.ts";

const TEMPLATE = join(PACKAGE_FOLDER, "cli/init/template");

/** Files of a project, and where the package has them. */
const FILES: Readonly<Record<string, string>> = {
  conf: join(PACKAGE_FOLDER, "conf"),
  "conf.local": join(PACKAGE_FOLDER, "conf.local"),
  Makefile: join(TEMPLATE, "Makefile"),
  // npm packs no .gitignore and no .npmrc.
  ".gitignore": join(TEMPLATE, "gitignore"),
  ".npmrc": join(TEMPLATE, "npmrc"),
  ".github/workflows/relevance.yml": join(TEMPLATE, "github.yaml"),
  ".gitlab-ci.yml": join(TEMPLATE, "gitlab.yaml"),
};

/** The members of package.json that this file reads. */
interface Manifest {
  name?: string;
  dependencies?: Readonly<Record<string, string>>;
  [field: string]: unknown;
}

/** Creates a project in a folder. Throws UsageError, before it writes anything, if a file of the project exists. */
export async function createProject(folder: string): Promise<void> {
  const existing = globSync(Object.keys(FILES), { cwd: folder });
  if (existing.length > 0) {
    throw new UsageError(`${folder} has ${existing.join(", ")} already: choose another folder, or remove it`);
  }
  const dependency = await dependencyOf(folder);
  for (const [name, source] of Object.entries(FILES)) await cp(source, join(folder, name), { recursive: true });
  await nameProject(folder);
  await writeManifest(folder, dependency);
}

/** Names the project as its folder, if that can be the prefix of cloud resources. */
async function nameProject(folder: string): Promise<void> {
  const name = basename(resolve(folder)).toLowerCase();
  if (!/^[a-z][a-z0-9-]{1,23}$/.test(name)) return;
  const file = join(folder, "conf/project.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace(/^project_name: .*$/m, `project_name: ${name}`));
}

/** Writes package.json, or adds to it: the package, `npm run relevance`, and the packages that have to run a script. */
async function writeManifest(folder: string, [name, specifier]: readonly [string, string]): Promise<void> {
  const file = join(folder, "package.json");
  const { dependencies, scripts, allowScripts, ...others } = (await readManifest(file)) ?? {
    name: basename(resolve(folder)).toLowerCase(),
    private: true,
  };
  const manifest: Manifest = {
    ...others,
    scripts: { relevance: "relevance", ...(scripts as object) },
    dependencies: { ...dependencies, [name]: specifier },
    // They fetch their programs: https://docs.npmjs.com/cli/commands/npm-install-scripts.
    allowScripts: { esbuild: true, node: true, ...(allowScripts as object) },
  };
  await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function readManifest(file: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Returns the name of this package and what npm installs it from: as it was installed itself, or what `make package` packed in
 * a clone. Copies a tarball into the project, so that a pipeline has it.
 */
async function dependencyOf(folder: string): Promise<readonly [name: string, specifier: string]> {
  const [home = "", below] = PACKAGE_FOLDER.split(`${sep}node_modules${sep}`);
  const name = "@relevance/cli";
  const installed = below === undefined ? undefined : await readManifest(join(home, "package.json"));
  const specifier = installed?.dependencies?.[name];
  if (specifier !== undefined && !specifier.startsWith("file:")) return [name, specifier];
  const [tarball] =
    specifier === undefined
      ? globSync(join(PACKAGE_FOLDER, "dist/package/*.tgz"))
      : [resolve(home, specifier.slice("file:".length))];
  if (tarball === undefined) {
    const first = below === undefined ? "run `make package` first" : "run `npm install FILE` in the new folder first";
    throw new Failure(`There is no package to install in a project: ${first}`);
  }
  const kept = join("vendor", basename(tarball));
  if (relative(tarball, resolve(folder, kept)) !== "") {
    await mkdir(dirname(join(folder, kept)), { recursive: true });
    await cp(tarball, join(folder, kept));
  }
  return [name, `file:${kept}`];
}
