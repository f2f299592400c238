import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installNpm } from "../../bench/npm-folder.ts";
import { isObject } from "../../lib/platform/json/values.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";

/** Folders here with other bindings of Terraform than package.json's, each with a lock file. */
export const BINDINGS = ["cdktf", "cdktn"] as const;

/** Where other bindings may write something else, and why Terraform does the same with it. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  "//.metadata.version": "the framework's own version, a comment",
  "terraform.required_providers.aws.source": "aws and hashicorp/aws are the same address",
};

/** What the comparison depends on: a SHA-256 of `stacks/` and of this folder. */
export function fingerprint(): string {
  const hash = createHash("sha256");
  const files = globSync(["stacks/**/*.ts", "test/bindings/**/*.{ts,json}"], { cwd: ROOT }).sort();
  for (const file of files) {
    if (file !== CHECKED) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex");
}

/** The file with the fingerprint of the last comparison by `make bench`. */
const CHECKED = "test/bindings/checked.json";

/** Whether nothing changed since the recorded comparison. */
export const isChecked = () => JSON.parse(readFileSync(join(ROOT, CHECKED), "utf8")).fingerprint === fingerprint();

/** Records that the stacks as they are were compared. */
export const recordChecked = () =>
  writeFileSync(join(ROOT, CHECKED), `${JSON.stringify({ fingerprint: fingerprint() }, undefined, 2)}\n`);

/** Returns the errors of types and the differences of stacks that other bindings make, in lines. Installs them. */
export function differences(name: (typeof BINDINGS)[number]): string[] {
  const bindings = installNpm(join(import.meta.dirname, name), `bindings-${name}`);
  const out = scratchFolder(TEST_OUTPUT, `bindings-${name}`);
  const [ours, theirs] = [join(out, "ours"), join(out, "theirs")] as const;
  synthesizeTo(ours, []);
  synthesizeTo(theirs, ["--import", join(import.meta.dirname, "resolve.ts")], bindings);
  const files = globSync("**/cdk.tf.json", { cwd: ours }).sort();
  const others = globSync("**/cdk.tf.json", { cwd: theirs }).sort();
  if (files.length === 0 || files.join() !== others.join()) return [`${files.join()} instead of ${others.join()}`];
  const json = (folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  return [
    ...typeErrors(bindings, out),
    ...files.flatMap((file) => differing(json(ours, file), json(theirs, file)).map((line) => `${file}  ${line}`)),
  ];
}

function synthesizeTo(folder: string, options: readonly string[], bindings = ""): void {
  const args = [...options, join(import.meta.dirname, "synthesize.ts"), folder];
  execFileSync(process.execPath, args, { cwd: ROOT, env: { ...process.env, BINDINGS: bindings }, stdio: "inherit" });
}

function typeErrors(bindings: string, out: string): string[] {
  const { imports } = JSON.parse(readFileSync(join(bindings, "package.json"), "utf8"));
  const types = (target: string) => [join(bindings, "node_modules", target.replace(/\.js$/, ".d.ts"))];
  const paths = Object.fromEntries(Object.entries<string>(imports).map(([alias, target]) => [alias, types(target)]));
  const index = (name: string) => types(`${name}/lib/index.js`);
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      typeRoots: [join(ROOT, "node_modules/@types")],
      paths: { ...paths, "#cdktf": index(imports["#cdktf"]), constructs: index("constructs") },
    },
    include: [join(ROOT, "stacks")],
    exclude: [],
  };
  const project = join(out, "tsconfig.json");
  writeFileSync(project, JSON.stringify(config));
  const { stdout, status } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", project], { encoding: "utf8" });
  return status === 0 ? [] : stdout.trim().split("\n");
}

function differing(ours: unknown, theirs: unknown, path = ""): string[] {
  if (path in DIFFERENCES || ours === theirs) return [];
  const values = [ours, theirs];
  const areMappings = values.every(isObject);
  if (areMappings || values.every(Array.isArray)) {
    const [a, b] = values as Record<string, unknown>[];
    const keys = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]);
    return [...keys].flatMap((key) => differing(a?.[key], b?.[key], path === "" ? key : `${path}.${key}`));
  }
  return [`${path}: ${JSON.stringify(ours)} becomes ${JSON.stringify(theirs)}`];
}
