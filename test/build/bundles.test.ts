import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile } from "esbuild";
import * as assert from "uvu/assert";
import { componentsOf } from "../../build/components.ts";
import { type BuiltFunction, buildFunctions, LICENSES } from "../../build/functions.ts";
import { PACKAGES_FILE, packagesReference } from "../../build/sbom.ts";
import { functionFiles } from "../../build/settings-files.ts";
import { PACKAGE_FOLDER } from "../../lib/platform/folders.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { suite } from "../suite.ts";

/** The functions of this repository, bundled as they are deployed. */
const test = suite("bundles");

const outdir = mkdtempSync(join(tmpdir(), "bundles-"));
test.after(() => rmSync(outdir, { recursive: true }));

const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });
const configuration = loadConfiguration("conf.local");
const built = await buildFunctions({
  outdir: join(outdir, "functions"),
  files: await functionFiles(configuration, { names }),
});

/** The environment that each function is started with. */
const ENVIRONMENTS: Record<string, Record<string, string>> = {
  "api-router": { OPENSEARCH_AUTH: "none", OPENSEARCH_NODE: "http://127.0.0.1:9", AWS_REGION: "eu-west-1" },
  "search-events": { EVENTS_STREAM: "demo", AWS_REGION: "eu-west-1" },
  "log-handler": { PROJECT_NAME: "demo", FIREHOSE_STREAM: "demo", AWS_REGION: "eu-west-1" },
  "recommendation-log-handler": { PROJECT_NAME: "demo", FIREHOSE_STREAM: "demo", AWS_REGION: "eu-west-1" },
  "cluster-scaler": {
    DOMAIN_NAME: "search",
    ACCOUNT_ID: "123456789012",
    MIN_INSTANCE_COUNT: "2",
    MAX_INSTANCE_COUNT: "6",
    SCALE_DOWN_CPU_PERCENT: "30",
    SCALE_UP_CPU_PERCENT: "70",
    AWS_REGION: "eu-west-1",
  },
  suggestions: {
    OPENSEARCH_AUTH: "none",
    OPENSEARCH_NODE: "http://127.0.0.1:9",
    AWS_REGION: "eu-west-1",
    BUCKET: "bucket",
    ENGINE_MEMORY_MB: "600",
  },
  "recommendation-api": {
    USERS_TABLE: "users",
    ITEMS_TABLE: "items",
    POPULAR_ITEMS_TABLE: "popular",
    BUILT_IN_TABLE: "built-in",
    INGESTION_TABLE: "ingestion",
    BUCKET: "bucket",
    EVENTS_STREAM: "events",
    REALTIME_QUEUE_URL: "http://127.0.0.1:9/queue",
    AWS_REGION: "eu-west-1",
  },
  "realtime-sync": {
    USERS_TABLE: "users",
    ITEMS_TABLE: "items",
    USERS_DATASET_ARN: names.datasetArn("user"),
    ITEMS_DATASET_ARN: names.datasetArn("item"),
    AWS_REGION: "eu-west-1",
  },
  etl: {
    BUCKET: "bucket",
    USERS_TABLE: "users",
    ITEMS_TABLE: "items",
    POPULAR_ITEMS_TABLE: "popular",
    BUILT_IN_TABLE: "built-in",
    LOG_LOOKBACK_DAYS: "30",
    FORCE_REPROCESS_LOOKBACK_DAYS: "1",
    ENGINE_MEMORY_MB: "600",
    AWS_REGION: "eu-west-1",
  },
  training: {
    PROJECT_NAME: "demo",
    ACCOUNT_ID: "123456789012",
    BUCKET: "bucket",
    TRAINING_TABLE: "training",
    INGESTION_TABLE: "ingestion",
    IMPORT_ROLE_ARN: "arn:aws:iam::123456789012:role/demo",
    LOG_LOOKBACK_DAYS: "30",
    INGESTION_BUFFER_SECONDS: "60",
    AWS_REGION: "eu-west-1",
  },
  "personalize-manager": {
    PROJECT_NAME: "demo",
    ACCOUNT_ID: "123456789012",
    TRAINING_TABLE: "training",
    AWS_REGION: "eu-west-1",
  },
};

const bundleOf = (name: string): BuiltFunction => {
  const found = built[name];
  assert.ok(found, `${name} was not built`);
  return found;
};

/** Imports a bundle in a fresh process with only this environment. Returns the handler's type and loaded modules. */
function importFresh(name: string, env: Record<string, string>): { handler: string; loaded: string[] } {
  const url = pathToFileURL(join(bundleOf(name).dir, "index.mjs")).href;
  const script = `const { handler } = await import(${JSON.stringify(url)});
    process.stdout.write(JSON.stringify({ handler: typeof handler, loaded: process.moduleLoadList }));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: outdir,
    env,
    encoding: "utf8",
    stdio: "pipe",
  });
  return JSON.parse(out);
}

test("are all covered by this test", () => {
  assert.equal(Object.keys(ENVIRONMENTS).sort(), Object.keys(built).sort());
});

test("of both request logs are the same code", () => {
  assert.is(bundleOf("recommendation-log-handler").sha256, bundleOf("log-handler").sha256);
});

for (const [name, env] of Object.entries(ENVIRONMENTS)) {
  test(`${name} starts in a fresh Node.js process from its own folder, exports a handler and loads no fetch`, () => {
    const { handler, loaded } = importFresh(name, env);
    // Node's own fetch takes as long to load as all of the gateway's code.
    assert.equal([handler, loaded.filter((module) => module.includes("undici"))], ["function", []]);
  });

  test(`${name} names a missing variable and does not start, without printing credentials`, () => {
    const [variable = ""] = Object.keys(env);
    const { [variable]: _, ...rest } = env;
    try {
      importFresh(name, { ...rest, AWS_SECRET_ACCESS_KEY: "top-secret" });
    } catch (error) {
      const { stderr } = error as { stderr: string };
      assert.match(stderr, new RegExp(`Error: .*: ${variable}`));
      assert.not.match(stderr, "top-secret");
      return;
    }
    assert.unreachable("it started");
  });
}

const TOOLS = ["cdktf", "@cdktf", "constructs", "esbuild", "node", "commander", "yaml"];

/** The locked packages; `dev` marks those that only development needs. */
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, { dev?: true }>;
};
const isDevelopment = (path: string) => {
  const [folder = ""] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path) ?? [];
  return packages[folder]?.dev === true;
};

test("contain no development dependency and no code of Terraform or the tools", () => {
  for (const [name, { metafile }] of Object.entries(built)) {
    const wrong = Object.keys(metafile.inputs).filter(
      (path) =>
        isDevelopment(path) ||
        TOOLS.some((tool) => path.startsWith(`node_modules/${tool}/`)) ||
        /^(build|cli|packages|stacks|test|bench)\//.test(path),
    );
    assert.equal(wrong, [], name);
  }
});

test("have at most 40 packages each, all of which the reference lists", () => {
  assert.equal(
    Object.entries(built).filter(([, { metafile }]) => componentsOf(metafile, PACKAGE_FOLDER).length > 40),
    [],
  );
  assert.is(packagesReference(built), readFileSync(PACKAGES_FILE, "utf8"), "run make sbom");
});

test("have the licences of their packages beside them, each text once", () => {
  const texts = readFileSync(join(bundleOf("log-handler").dir, LICENSES), "utf8");
  const headings = texts.split(/^={80}\n\n/m).map((part) => part.split("\n\n")[0]?.replaceAll(/@[\d.]+$/gm, ""));
  assert.ok(
    headings.some((names) => names?.startsWith("@aws-sdk/client-firehose\n@aws-sdk/credential-provider-env\n")),
  );
  assert.ok(headings.includes("valibot"));
});

test("are checked against a list that marks development dependencies", () => {
  assert.equal(
    ["uvu/dist/index.js", "valibot/dist/index.js"].map((path) => isDevelopment(`node_modules/${path}`)),
    [true, false],
  );
});

/** Returns the bytes of the files that are loaded when these entries of a bundle are imported. */
function loadedBytes({ outputs }: Metafile, sources: readonly string[]): number {
  const loaded = new Set<string>();
  const visit = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && !external) visit(next);
    }
  };
  for (const source of sources) {
    const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    assert.ok(path, `${source} is no chunk of its own`);
    visit(path);
  }
  return [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
}

const FAMILIES = ["bulk", "search", "hybrid-search", "multi-search", "raw-backend"];

test("of api-router have a chunk for each family, which its entry does not load", () => {
  const { metafile } = bundleOf("api-router");
  const entry = loadedBytes(metafile, ["functions/api-router/index.ts"]);
  for (const family of FAMILIES) {
    const both = loadedBytes(metafile, ["functions/api-router/index.ts", `functions/api-router/${family}.ts`]);
    assert.ok(both > entry, `${family} is part of the entry`);
  }
});

test("of api-router load at most 170 kB before the first search", () => {
  const { metafile } = bundleOf("api-router");
  const bytes = loadedBytes(metafile, ["functions/api-router/index.ts", "functions/api-router/search.ts"]);
  assert.ok(bytes <= 170_000, `${bytes} bytes`);
});

test("stay below 2 MB without native code: larger archives start slower", () => {
  for (const [name, { zip }] of Object.entries(built)) {
    const { length } = readFileSync(zip);
    assert.ok(length < 2_000_000, `${name} has ${length} bytes`);
  }
});

test.run();
