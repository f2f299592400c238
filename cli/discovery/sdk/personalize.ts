import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";
import { quotasOf } from "./quotas.ts";

/**
 * The quota's name in Service Quotas. Source: Personalize Developer Guide, "Endpoints and quotas", section "Requesting a
 * quota increase"; the table on that page says "Total number of filters per dataset group" instead. AWS does not document
 * the code; public tools that read Service Quotas have L-B9CFBC8B.
 */
const FILTER_QUOTA = "Active filters per dataset group";

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
      return (await quotasOf(config, "personalize")).get(FILTER_QUOTA);
    },
  };
}
