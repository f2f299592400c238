import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../errors.ts";

/** The state's lock file in S3 and `removed` blocks that leave resources alone need it, in both programs. */
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

/** Finds the program: TERRAFORM_BINARY, or `terraform`, or `tofu` on the PATH. Throws Failure with what to install. */
export async function findTerraform(env: Env): Promise<Terraform> {
  const path = binaryPath(env);
  const { product, version } = await askVersion(path, env);
  if (isOlder(version, MINIMUM_VERSION)) {
    throw new Failure(`${path} is ${product} ${version}, ${MINIMUM_VERSION} or newer is needed: ${INSTALL}`);
  }
  return { path, product, version };
}

function binaryPath(env: Env): string {
  const given = env.TERRAFORM_BINARY;
  if (given) {
    if (isExecutable(given)) return given;
    const onPath = given.includes("/") ? undefined : lookUp(given, env);
    if (onPath !== undefined) return onPath;
    throw new Failure(`TERRAFORM_BINARY is ${given}, which is no program: set it to Terraform's path, or ${INSTALL}`);
  }
  const found = lookUp("terraform", env) ?? lookUp("tofu", env);
  if (found === undefined) {
    throw new Failure(
      `Terraform is missing: neither terraform nor tofu is on the PATH. ` +
        `${INSTALL[0]?.toUpperCase()}${INSTALL.slice(1)}. TERRAFORM_BINARY= names one that is elsewhere.`,
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
    // The text names the product, the JSON does not.
    const { stdout } = await promisify(execFile)(path, ["version"], options);
    const [, product, version] = /^(Terraform|OpenTofu) v(\d+\.\d+\.\d+\S*)/m.exec(stdout) ?? [];
    if (product && version) return { product: product as Terraform["product"], version };
    throw new Error(`it answers ${JSON.stringify(stdout.slice(0, 80))}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new Failure(`${path} does not tell its version (${reason}): ${INSTALL}`, { cause: error });
  }
}

/** Compares numbers alone: a release candidate counts as its release. */
function isOlder(version: string, minimum: string): boolean {
  const numbers = (text: string) => text.split(".").map((part) => Number.parseInt(part, 10));
  const [major = 0, minor = 0] = numbers(version);
  const [leastMajor = 0, leastMinor = 0] = numbers(minimum);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
