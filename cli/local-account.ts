import { Failure, UsageError } from "../lib/platform/failure.ts";
import type { LocalAccount } from "../packages/local/account/open.ts";
import type { Context } from "./command.ts";
import { findTerraform } from "./terraform/binary.ts";

/** The local account of a session. */
export type LocalSession = LocalAccount;

/** There is no local account, so nothing is deployed in it. */
export class NothingLocal extends Failure {
  override name = "NothingLocal";
}

/** Returns whether commands use the local account in place of AWS. Throws UsageError for a value that is not 1. */
export function isLocal({ RELEVANCE_LOCAL: value }: Context["env"]): boolean {
  if (value === undefined || value === "") return false;
  if (value === "1") return true;
  throw new UsageError(
    `LOCAL=${value}: set LOCAL=1 (or RELEVANCE_LOCAL=1) for the account on this machine, or leave it out for AWS`,
  );
}

/** Opens the local account. Points this process to it. Throws Failure with what to do. */
export async function openLocal(conf: string, { env, terminal }: Context, starts: boolean): Promise<LocalSession> {
  // Before servers are installed and started for nothing.
  if (starts) await findTerraform(env);
  const [{ NoAccount, openLocalAccount }, { LocalError }, { DevUsageError }] = await Promise.all([
    import("../packages/local/account/open.ts"),
    import("../packages/processes/error.ts"),
    import("../packages/local/dev/options.ts"),
  ]);
  try {
    return await openLocalAccount({ conf, starts, say: terminal.note });
  } catch (error) {
    if (error instanceof NoAccount) throw new NothingLocal(error.message, { cause: error });
    if (error instanceof DevUsageError) throw new UsageError(error.message, { cause: error });
    if (error instanceof LocalError) throw new Failure(error.message, { cause: error });
    throw error;
  }
}
