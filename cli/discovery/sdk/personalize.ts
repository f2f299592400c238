import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";
import { quotasOf } from "./quotas.ts";

/** AWS documents neither code nor exact name. */
const FILTER_QUOTA = /\bfilters (in a|per) dataset group\.?$/i;

/** Reads Personalize resources. */
export function personalizeReads(config: SdkConfig): Pick<DiscoveryClients, "inventory" | "filterQuota"> {
  return {
    async inventory(names) {
      const [{ PersonalizeClient }, { personalizeOf }, { readInventory }] = await Promise.all([
        import("@aws-sdk/client-personalize"),
        import("../../../lib/personalize/resources/personalize.ts"),
        import("../../../lib/personalize/resources/inventory.ts"),
      ]);
      return readInventory(personalizeOf(new PersonalizeClient({ ...config, maxAttempts: 1 })), names);
    },
    async filterQuota() {
      const quotas = await quotasOf(config, "personalize");
      return [...quotas].find(([name]) => FILTER_QUOTA.test(name))?.[1];
    },
  };
}
