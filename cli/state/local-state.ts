import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Names } from "../../lib/core/naming/names.ts";
import { Failure } from "../errors.ts";
import type { Session } from "../session.ts";

/**
 * Throws Failure for state on this machine that is of no account by its path, as it was before accounts had folders of
 * their own: used as it is, any account's deployment would take it for its own.
 */
export function refuseStateOfNoAccount(
  { config, folders }: Pick<Session, "config" | "folders">,
  account: string,
  names: Names,
): void {
  const { project_name: project, terraform, aws } = config.project;
  if (terraform.state.type !== "local") return;
  const before = join(folders.state, project);
  const found = globSync("*.tfstate", { cwd: before }).sort();
  if (found.length === 0) return;
  const now = join(folders.state, dirname(names.stateFile("storage")));
  throw new Failure(
    `Terraform's state of ${project} (${found.join(", ")}) is in ${before}, which does not say of which account it is. ` +
      `If it is that of account ${account} in ${aws.region_name}, move it:\n` +
      `  mkdir -p ${now} && mv ${before}/*.tfstate* ${now}\n` +
      "Else move it below the folder of its own account, named in the same way. Then run this again.",
  );
}
