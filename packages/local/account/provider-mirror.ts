import { globSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The path of the AWS provider in a mirror. */
export const PROVIDER = "registry.terraform.io/hashicorp/aws";

/**
 * Finds a folder of providers: TF_PROVIDER_MIRROR, or one of the usual folders if it contains the AWS provider.
 * Undefined if there is none; Terraform then asks the registry.
 */
export function findMirror(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.TF_PROVIDER_MIRROR) return env.TF_PROVIDER_MIRROR;
  const roots = ["/opt", "/usr/share", "/usr/local/share", "/usr/share/terraform", "/usr/local/share/terraform"];
  const own = [join(homedir(), ".terraform.d/plugins"), join(homedir(), ".local/share/terraform/plugins")];
  const candidates = [
    ...own,
    ...roots.flatMap((root) => [root, ...globSync("*/", { cwd: root }).map((name) => join(root, name))]),
  ];
  return candidates.find((folder) => globSync(`${PROVIDER}/{*.zip,*/*/*}`, { cwd: folder }).length > 0);
}
