import type { DiscoveryClients } from "../../../cli/discovery/clients.ts";
import { discover } from "../../../cli/discovery/discover.ts";
import { DiscoveryError } from "../../../lib/infrastructure/discovery.ts";
import { type Change, type ConfigurationName, configuration } from "../../fixtures/configurations/configurations.ts";
import { account } from "./account.ts";

/** Returns the problems that discovery reports; none when it succeeds. */
export async function problems(
  name: ConfigurationName,
  reads: Partial<DiscoveryClients> = {},
  changes: readonly Change[] = [],
): Promise<readonly string[]> {
  try {
    await discover(configuration(name, changes), account(reads));
    return [];
  } catch (error) {
    if (error instanceof DiscoveryError) return error.problems;
    throw error;
  }
}

/** Returns a read that AWS refuses with this error. */
export const named = (name: string) => async () => {
  throw Object.assign(new Error(`${name}: refused`), { name });
};
