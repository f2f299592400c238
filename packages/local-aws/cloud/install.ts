import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import { installOnce } from "@relevance/processes/install.ts";

const REQUIREMENTS = fileURLToPath(new URL("./requirements.txt", import.meta.url));
const VENV = "venv-moto";
/** The oldest Python that the pinned packages support. */
const MIN_PYTHON = [3, 10] as const;

export interface InstallOptions {
  /** The folder `venv-moto` (160 MB) is created in this one. */
  dir: string;
  /** The Python that creates the virtual environment. Default: `python3`. */
  python?: string;
  /** Called with progress messages for the user. */
  onProgress?: (line: string) => void;
}

/**
 * Installs moto into its own Python virtual environment, once, and returns that environment's interpreter. Reinstalls when
 * the pinned packages or the machine's Python have changed. Throws MissingTool without a suitable Python or its venv
 * module, and LocalError if the packages cannot be installed.
 */
export async function installCloud(options: InstallOptions): Promise<string> {
  const { dir, python = "python3", onProgress = () => {} } = options;
  const build = async (staged: string) => {
    await checkPython(python);
    onProgress("installing moto, the local AWS endpoint (40 MB to download, once)");
    await makeEnvironment(python, staged);
    await installPackages(staged);
    writeFileSync(markerFile(staged), marker(staged));
    onProgress("installed moto");
  };
  return interpreter(await installOnce({ dir, name: VENV, isComplete, build, onProgress }));
}

/** Throws MissingTool if moto is not installed, and the machine's Python cannot install it. */
export async function checkCloud({ dir, python = "python3" }: Pick<InstallOptions, "dir" | "python">): Promise<void> {
  if (!isComplete(join(resolve(dir), VENV))) await checkPython(python);
}

const interpreter = (home: string) => join(home, "bin", "python");
const markerFile = (home: string) => join(home, ".complete");

/**
 * Returns a text that identifies the environment's packages and Python. The environment breaks if that Python changes.
 */
function marker(home: string): string {
  const packages = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex");
  const python = realpathSync(interpreter(home));
  // Usually a link to the machine's Python. If it is a copy, its path says nothing about its origin.
  const origin = python.startsWith(realpathSync(home)) ? "copy" : python;
  return `${JSON.stringify({ packages, python: origin })}\n`;
}

function isComplete(home: string): boolean {
  if (!existsSync(markerFile(home)) || !existsSync(interpreter(home))) return false;
  return readFileSync(markerFile(home), "utf8") === marker(home);
}

/** Returns the version of a Python that can install moto. Throws MissingTool. */
export async function checkPython(python = "python3"): Promise<string> {
  const wanted = MIN_PYTHON.join(".");
  const need = `The local AWS endpoint (moto) needs Python ${wanted} or newer with its venv module`;
  const { missing, failed, output } = await run(python, ["-c", "import sys; print(*sys.version_info[:2])"]);
  if (missing) throw new MissingTool(`${need}, and there is no ${python} on the PATH. Install Python 3`);
  const [major = 0, minor = 0] = output.trim().split(" ").map(Number);
  if (failed || major !== MIN_PYTHON[0] || minor < MIN_PYTHON[1]) {
    const found = failed ? `did not start: ${lastLines(output)}` : `is Python ${major}.${minor}`;
    throw new MissingTool(`${need}, but ${python} ${found}. Install a newer one, first on the PATH`);
  }
  if ((await run(python, ["-c", "import venv, ensurepip"])).failed) {
    throw new MissingTool(
      `${need}, but ${python} (Python ${major}.${minor}) comes without venv. ` +
        "On Debian and Ubuntu it is a package of its own: apt-get install python3-venv",
    );
  }
  return `${major}.${minor}`;
}

async function makeEnvironment(python: string, home: string): Promise<void> {
  const { failed, output } = await run(python, ["-m", "venv", home]);
  if (failed) throw new LocalError(`${python} -m venv ${home} failed:\n${lastLines(output)}`);
}

async function installPackages(home: string): Promise<void> {
  const pip = ["-m", "pip", "--disable-pip-version-check", "--no-input"];
  // Python compiles what it imports; compiling all at once takes longer than the rest.
  const install = [
    ...pip,
    "install",
    "--quiet",
    "--no-compile",
    "--no-deps",
    "--require-hashes",
    "--requirement",
    REQUIREMENTS,
  ];
  const installed = await run(interpreter(home), install);
  if (installed.failed) {
    throw new LocalError(
      `the packages of packages/local-aws/cloud/requirements.txt could not be installed. pip said:\n${lastLines(installed.output)}\n` +
        "pip takes them from PyPI or the index of your pip configuration: check the network and run this again",
    );
  }
  const checked = await run(interpreter(home), [...pip, "check"]);
  if (checked.failed)
    throw new LocalError(`packages/local-aws/cloud/requirements.txt is incomplete:\n${lastLines(checked.output)}`);
}

interface Run {
  missing: boolean;
  failed: boolean;
  output: string;
}

/** Runs a Python program. Never throws. */
export function run(command: string, args: readonly string[]): Promise<Run> {
  // Without these variables, pip does not count the user's own packages as installed.
  const { PYTHONPATH: _path, PYTHONHOME: _home, ...env } = process.env;
  return new Promise((done) => {
    execFile(command, args, { env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const missing = error?.code === "ENOENT";
      done({ missing, failed: error !== null, output: stdout + stderr });
    });
  });
}

/** Returns the end of a program's output, indented. */
export const lastLines = (text: string) =>
  text
    .trim()
    .split("\n")
    .slice(-6)
    .map((line) => `  ${line}`)
    .join("\n");
