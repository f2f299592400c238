import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { Bundle } from "./bundle.ts";
import { writeWhole } from "./write-whole.ts";

/** A bundle as it is stored, and everything that it was made from. */
interface Stored {
  rules: string;
  /** A fingerprint of each source, by its path below the root. */
  sources: ReadonlyMap<string, string>;
  bundle: Bundle;
}

/** The inputs of a bundle besides its sources: build options and installed packages. */
const RULES = [
  "build/bundle.ts",
  "build/slim-client.ts",
  "package.json",
  "tsconfig.json",
  "node_modules/.package-lock.json",
];

/**
 * Returns the bundle `name` of an earlier build, from the folder `cache`, if nothing that it was made from has changed.
 * Otherwise makes and stores it.
 */
export async function cachedBundle(
  { root, name, cache }: { root: string; name: string; cache: string },
  make: () => Promise<Bundle>,
): Promise<Bundle> {
  const file = join(cache, `${name}.bin`);
  const rules = [
    process.version,
    ...(await Promise.all(RULES.map((path) => fingerprint(root, path, contentOf)))),
  ].join();
  const stored = await readStored(file);
  if (stored?.rules === rules && (await areUnchanged(root, stored.sources))) return stored.bundle;

  const started = Date.now();
  const bundle = await make();
  const paths = Object.keys(bundle.metafile.inputs);
  const sources = new Map(await Promise.all(paths.map(async (path) => [path, await sourceOf(root, path)] as const)));
  const modified = await Promise.all(paths.map((path) => modifiedAt(join(root, path))));
  // A source that was written while it was bundled may differ from its fingerprint.
  if (Math.max(...modified) < started) await writeWhole(file, serialize({ rules, sources, bundle } satisfies Stored));
  return bundle;
}

async function readStored(file: string): Promise<Stored | undefined> {
  try {
    return deserialize(await readFile(file)) as Stored;
  } catch {
    // Absent, or written by another version: it will be replaced.
    return undefined;
  }
}

async function areUnchanged(root: string, sources: Stored["sources"]): Promise<boolean> {
  const same = [...sources].map(async ([path, before]) => (await sourceOf(root, path)) === before);
  return (await Promise.all(same)).every(Boolean);
}

/** Packages are many and large, and the lock file vouches for them: their size and time are enough. */
const sourceOf = (root: string, path: string) =>
  fingerprint(root, path, path.startsWith("node_modules/") ? sizeAndTimeOf : contentOf);

/** Returns what `read` finds, or a word for a file that does not exist. */
async function fingerprint(root: string, path: string, read: (file: string) => Promise<string>): Promise<string> {
  try {
    return await read(join(root, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return "absent";
  }
}

const contentOf = async (file: string) =>
  createHash("sha256")
    .update(await readFile(file))
    .digest("base64");

async function sizeAndTimeOf(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file);
  return `${size} ${mtimeMs}`;
}

const modifiedAt = (file: string) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
