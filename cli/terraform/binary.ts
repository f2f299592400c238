import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../lib/platform/failure.ts";

/** The first version of both programs with lock files in S3 and `removed` blocks that keep resources. */
export const MINIMUM_VERSION = "1.10";

/** Terraform, or OpenTofu. */
export interface Terraform {
  path: string;
  product: "Terraform" | "OpenTofu";
  version: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const INSTALL =
  `install Terraform ${MINIMUM_VERSION} or newer (https://developer.hashicorp.com/terraform/install), ` +
  `or OpenTofu ${MINIMUM_VERSION} or newer (https://opentofu.org/docs/intro/install)`;

/** Finds TERRAFORM_BINARY, else `terraform` or `tofu` on the PATH. Throws Failure with what to install. */
export async function findTerraform(env: Env): Promise<Terraform> {
  const path = binaryPath(env);
  const { product, version } = await askVersion(path, env);
  if (isOlder(version, MINIMUM_VERSION)) {
    throw new Failure(`${path} is ${product} ${version}, but ${MINIMUM_VERSION} or newer is required: ${INSTALL}`);
  }
  return { path, product, version };
}

function binaryPath(env: Env): string {
  const given = env.TERRAFORM_BINARY;
  if (given) {
    if (isExecutable(given)) return given;
    const onPath = given.includes("/") ? undefined : lookUp(given, env);
    if (onPath !== undefined) return onPath;
    throw new Failure(
      `TERRAFORM_BINARY is ${given}, which is not a program: set it to the path of Terraform, or ${INSTALL}`,
    );
  }
  const found = lookUp("terraform", env) ?? lookUp("tofu", env);
  if (found === undefined) {
    throw new Failure(
      `Terraform is missing: neither terraform nor tofu is on the PATH. ` +
        `${INSTALL[0]?.toUpperCase()}${INSTALL.slice(1)}. If it is installed elsewhere, set TERRAFORM_BINARY to its path.`,
    );
  }
  return found;
}

function lookUp(name: string, { PATH = "" }: Env): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function askVersion(path: string, env: Env): Promise<Pick<Terraform, "product" | "version">> {
  try {
    const options = { env: { ...env, CHECKPOINT_DISABLE: "1" }, timeout: 30_000 };
    // The text output names the product, the JSON output does not.
    const { stdout } = await promisify(execFile)(path, ["version"], options);
    const [, product, version] = /^(Terraform|OpenTofu) v(\d+\.\d+\.\d+\S*)/m.exec(stdout) ?? [];
    if (product && version) return { product: product as Terraform["product"], version };
    throw new Error(`it prints ${JSON.stringify(stdout.slice(0, 80))}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new Failure(`${path} does not report its version (${reason}): ${INSTALL}`, { cause: error });
  }
}

/** Compares major and minor version; a release candidate counts as its release. */
function isOlder(version: string, minimum: string): boolean {
  const numbers = (text: string) => text.split(".").map((part) => Number.parseInt(part, 10));
  const [major = 0, minor = 0] = numbers(version);
  const [leastMajor = 0, leastMinor = 0] = numbers(minimum);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
