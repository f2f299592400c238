import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { build, type Loader, type Plugin, transform } from "esbuild";
import { PACKAGE_FOLDER } from "../lib/platform/folders.ts";
import { REQUIRE } from "./bundle.ts";
import { BuildError } from "./error.ts";
import { lockedBinding, NATIVE_LOCK } from "./native.ts";

/** The plain name is taken on npm. */
const NAME = "@relevance/cli";

/** Where the tarball goes: the first argument, or the folder in which `relevance init` of a clone looks for it. */
const out = resolve(process.argv[2] ?? join(PACKAGE_FOLDER, "dist/package"));

/** Folders with code, and files that it reads. */
const CODE = ["build", "cli", "functions", "lib", "packages", "stacks"];
const COPIED = ["CHANGELOG.md", "LICENSE", "README.md", "conf", "conf.local", "docs/guides", "docs/reference"];

/** Commands that run only in a clone. */
const LEFT_OUT =
  /^(lib|packages\/[\w-]+)\/(test\/|package\.json$)|^packages\/(clients\/(?!typescript\/src\/)|shop\/.*\.(ts|json)$)|^build\/(package|reference|openapi[\w-]*|clients)\.|\/README\.md$|tsconfig\.json$|__pycache__/;

/**
 * Packages whose code is inside the stacks. Terraform's provider is 360 MB on disk, of which the stacks use one hundredth.
 */
const INSIDE = ["@cdktf/provider-aws", "cdktf", "constructs"];

/** Every name of a TypeScript file of ours is the last part of a string: of an import, or of a program to start. */
const OURS = /\.tsx?(?=["'`])/g;

/** An import of our own file by its workspace's name. The installed package has no workspaces, so these become relative. */
const BY_NAME = /"@relevance\/(lib|[\w-]+)\/([^"]+)"/g;

/** Finds the package of each import; Node's own modules and our files have other names. */
const IMPORTED = /(?:from|import\s*\(|import)\s*"((?:@[\w-]+\/)?\w[\w.-]*)(?:\/[^":]*)?"/g;

/** Modules of the stacks that other folders import. */
const STACKS = ["main", "removal", "sample-stacks", "synthesize"];

interface Listed {
  version: string;
  dependencies: Readonly<Record<string, string>>;
  [field: string]: unknown;
}

/** `make package`: packs what a project installs from npm, and prints the tarball's path. */
await mkdir(join(PACKAGE_FOLDER, ".local"), { recursive: true });
// Below node_modules of the clone, from which the stacks are bundled, and where no tool looks for sources.
const stage = await mkdtemp(join(PACKAGE_FOLDER, ".local/package-"));
/** Leaves our files of other folders outside, whose classes must be the same for all. */
const outside: Plugin = {
  name: "outside",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\// }, ({ path, resolveDir }) => {
      const target = relative(stage, join(resolveDir, path));
      return /^(\.\.|stacks)\//.test(target) ? undefined : { path: `../${target}`, external: true };
    });
  },
};

const [root, ...rooms] = await Promise.all(
  ["", ...globSync("packages/*/package.json", { cwd: PACKAGE_FOLDER }).map(dirname)].map(listedIn),
);
if (!root) throw new BuildError("there is no package.json");

try {
  console.log(await pack(root));
} finally {
  await rm(stage, { recursive: true, force: true });
}

/** Stages the files, packs them, and returns the tarball's path. */
async function pack({ imports, bin }: Listed): Promise<string> {
  const files = globSync(`{${CODE.join(",")}}/**`, { cwd: PACKAGE_FOLDER }).filter((file) => !LEFT_OUT.test(file));
  await Promise.all(files.map(compile));
  for (const name of COPIED) {
    const filter = (source: string) => !source.endsWith("/images");
    await cp(join(PACKAGE_FOLDER, name), join(stage, name), { recursive: true, filter });
  }
  await writeFile(join(stage, NATIVE_LOCK), JSON.stringify(await lockedBinding(PACKAGE_FOLDER)));
  await writeManifest({ imports });
  await bundleStacks();
  await bundleShop();
  await writeManifest({ bin, dependencies: await dependencies() });
  await mkdir(out, { recursive: true });
  for (const old of globSync(join(out, "*.tgz"))) await rm(old);
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", out];
  return join(out, execFileSync("npm", args, { cwd: stage, encoding: "utf8" }).trim());
}

async function listedIn(folder: string): Promise<Listed> {
  return JSON.parse(await readFile(join(PACKAGE_FOLDER, folder, "package.json"), "utf8"));
}

/** Writes a file of the package: TypeScript as JavaScript, others as they are. */
async function compile(file: string): Promise<void> {
  if (!statSync(join(PACKAGE_FOLDER, file)).isFile()) return;
  const target = join(stage, file.replace(/\.tsx?$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  const [, kind] = /\.(tsx?|mjs)$/.exec(file) ?? [];
  if (kind === undefined) return cp(join(PACKAGE_FOLDER, file), target);
  const { code } = await transform(await readFile(join(PACKAGE_FOLDER, file), "utf8"), {
    loader: kind.replace("mjs", "js") as Loader,
    target: "node22",
    ...(kind === "tsx" && { jsx: "automatic", jsxImportSource: "preact" }),
    sourcefile: file,
  });
  const pathTo = (_: string, name: string, path: string) =>
    `"${relative(dirname(target), join(stage, name === "lib" ? name : `packages/${name}`, path))}"`;
  await writeFile(target, code.replaceAll(BY_NAME, pathTo).replaceAll(OURS, ".js"), {
    mode: kind === "mjs" ? 0o755 : 0o644,
  });
}

async function writeManifest(fields: Readonly<Record<string, unknown>>): Promise<void> {
  const { version, description, license, engines } = root as Listed;
  const manifest = { name: NAME, version, description, type: "module", license, engines, ...fields };
  await writeFile(join(stage, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Replaces the stacks by a bundle of them and the packages inside them, and says under which licenses those are. */
async function bundleStacks(): Promise<void> {
  await build({
    absWorkingDir: stage,
    entryPoints: STACKS.map((name) => `stacks/${name}.js`),
    outdir: "bundled",
    plugins: [outside],
    bundle: true,
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    platform: "node",
    target: "node22",
    // Not names: Terraform's are made of those of classes.
    minifyWhitespace: true,
    banner: { js: REQUIRE },
    legalComments: "none",
    logLevel: "silent",
  });
  await rm(join(stage, "stacks"), { recursive: true });
  await rename(join(stage, "bundled"), join(stage, "stacks"));
  await writeLicenses(
    "stacks",
    INSIDE.map((name) => `node_modules/${name}`),
  );
}

/** Bundles the demo's shop with the packages that its page alone needs. `dev` inserts the addresses and the key. */
async function bundleShop(): Promise<void> {
  // Of the two packages of this name, that of InstantSearch.
  const instantSearch = createRequire(join(PACKAGE_FOLDER, "node_modules/instantsearch.js/package.json"));
  const { metafile } = await build({
    // Its tsconfig.json says where the clients are.
    ...{ alias: { preact: dirname(instantSearch.resolve("preact/package.json")) } },
    ...{ bundle: true, format: "esm", target: "es2022", metafile: true, logLevel: "silent" },
    entryPoints: [join(PACKAGE_FOLDER, "packages/shop/shop.ts")],
    outfile: join(stage, "packages/shop/shop.js"),
  });
  const inside = Object.keys(metafile.inputs).flatMap(
    (file) => /[^:]*node_modules\/(@[^/]+\/)?[^/]+/.exec(file.replace("(disabled):", ""))?.[0] ?? [],
  );
  await writeLicenses("packages/shop", [...new Set(inside)].sort());
}

/** Says which packages are inside the files of a folder, and under which licenses. */
async function writeLicenses(folder: string, packages: readonly string[]): Promise<void> {
  const notices = await Promise.all(
    packages.map(async (path) => {
      const { name, version, license, licenses, repository } = await listedIn(path);
      const [{ type }] = (licenses ?? [{ type: license }]) as [{ type: string }];
      const { url = repository } = repository as { url?: string };
      return `${name} ${version}, ${type}, ${url}\n`;
    }),
  );
  await writeFile(join(stage, folder, "LICENSES"), `These files contain, unchanged:\n\n${notices.join("")}`);
}

/** Returns the packages that the compiled files import, and the Node.js that runs them, with the locked versions. */
async function dependencies(): Promise<Record<string, string>> {
  const known: Listed["dependencies"] = Object.assign(
    {},
    root?.dependencies,
    ...rooms.map((room) => room.dependencies),
  );
  const compiled = globSync("**/*.{js,mjs}", { cwd: stage });
  const texts = await Promise.all(compiled.map((file) => readFile(join(stage, file), "utf8")));
  const imported = texts.flatMap((text) => [...text.matchAll(IMPORTED)].map(([, name = ""]) => name));
  const names = [...new Set([...imported, "node"])].sort();
  return Object.fromEntries(
    names.map((name) => {
      const version = known[name];
      if (version === undefined) throw new BuildError(`${name} is imported, but no package.json lists it`);
      return [name, version];
    }),
  );
}
