import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { PACKAGE_FOLDER, workFolder } from "../lib/platform/folders.ts";
import { BINDINGS } from "./bundle.ts";
import { BuildError } from "./error.ts";
import type { BuildOptions } from "./functions.ts";

/**
 * DuckDB's native code for Lambda's platform: `architectures` in stacks/constructs/function.ts, and Amazon Linux. npm
 * installs only the package of its own platform.
 */
const LAMBDA = `${BINDINGS}-linux-arm64`;

const FILES = ["package.json", "duckdb.node", "libduckdb.so"];

/** Lock file entry of a package. */
interface Locked {
  version: string;
  integrity: string;
}

/**
 * Returns the files of DuckDB's native code for Lambda, as they lie in an archive. Takes the package from
 * `node_modules`, or else fetches it with npm, in the locked version, and keeps it in `.local`. Throws BuildError if
 * npm cannot fetch it, or if the package is not the locked one.
 */
export async function lambdaBinding(root: string = PACKAGE_FOLDER): Promise<Record<string, Uint8Array>> {
  const locked = await lockedBinding(root);
  const installed = join(root, "node_modules", LAMBDA);
  const read = existsSync(installed) ? (name: string) => readFile(join(installed, name)) : await packed(root, locked);
  const files = await Promise.all(
    FILES.map(async (name) => [`node_modules/${LAMBDA}/${name}`, await read(name)] as const),
  );
  return Object.fromEntries(files);
}

/** Where the entry is in a package that npm has installed: npm packs no package-lock.json. */
export const NATIVE_LOCK = "build/native-lock.json";

/** Returns the lock file's entry of the package. Throws BuildError if it has none. */
export async function lockedBinding(root: string): Promise<Locked> {
  const packed = join(root, NATIVE_LOCK);
  if (existsSync(packed)) return JSON.parse(await readFile(packed, "utf8"));
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const locked: Locked | undefined = packages[`node_modules/${LAMBDA}`];
  if (!locked) throw new BuildError(`package-lock.json has no ${LAMBDA}: run npm install and commit the lock file`);
  return locked;
}

/** The functions with DuckDB. */
export const WITH_DUCKDB = ["etl", "suggestions"];

/** Adds DuckDB's native code to the extra files of those of these functions that have it. */
export async function withNativeCode(
  files: NonNullable<BuildOptions["files"]>,
  functions: readonly string[],
): Promise<NonNullable<BuildOptions["files"]>> {
  const native = WITH_DUCKDB.filter((name) => functions.includes(name));
  if (native.length === 0) return files;
  const binding = await lambdaBinding();
  return { ...files, ...Object.fromEntries(native.map((name) => [name, { ...files[name], ...binding }])) };
}

/** Returns a function that reads a file of the package, which npm packs on first use. */
async function packed(root: string, locked: Locked): Promise<(name: string) => Promise<Uint8Array>> {
  const { version, integrity } = locked;
  const id = createHash("sha256").update(integrity).digest("hex").slice(0, 12);
  const name = `${LAMBDA.slice(1).replace("/", "-")}-${version}-${id}`;
  const home = join(workFolder(root), ".local/native", name);
  if (!existsSync(home)) await unpack(locked, home);
  return (file) => readFile(join(home, file));
}

/** Downloads the package and extracts {@link FILES} into `home`, which is created atomically. */
async function unpack({ version, integrity }: Locked, home: string): Promise<void> {
  const folder = `${home}.${randomUUID()}`;
  await mkdir(join(folder, "files"), { recursive: true });
  try {
    const tarball = await pack(version, folder);
    const found = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    if (found !== integrity) {
      throw new BuildError(`${LAMBDA} ${version} is not the package of package-lock.json: ${found}`);
    }
    const entries = untar(gunzipSync(tarball));
    for (const name of FILES) {
      const content = entries.get(`package/${name}`);
      if (!content) throw new BuildError(`${LAMBDA} ${version} has no ${name}`);
      await writeFile(join(folder, "files", name), content);
    }
    await rename(join(folder, "files"), home).catch((error) => {
      // Another process may have been faster.
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pack(version: string, folder: string): Promise<Buffer> {
  try {
    const args = ["pack", `${LAMBDA}@${version}`, "--json", "--pack-destination", folder];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    return await readFile(join(folder, filename));
  } catch (error) {
    throw new BuildError(
      `npm could not fetch ${LAMBDA} ${version}, which the functions ${WITH_DUCKDB.join(" and ")} need: ${String(error)}`,
    );
  }
}

const BLOCK = 512;

/** Returns the files of a tar archive as npm writes it: short names, no links. */
function untar(archive: Buffer): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const text = (start: number, length: number) =>
      archive.toString("utf8", at + start, at + start + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(text(124, 12), 8);
    files.set(text(0, 100), archive.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
