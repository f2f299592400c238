import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";

/** Reads Personalize resources. */
export function personalizeReads(config: SdkConfig): Pick<DiscoveryClients, "inventory"> {
  return {
    async inventory(names) {
      const [{ PersonalizeClient }, { personalizeOf }, { readInventory }] = await Promise.all([
        import("@aws-sdk/client-personalize"),
        import("../../../lib/personalize/resources/personalize.ts"),
        import("../../../lib/personalize/resources/inventory.ts"),
      ]);
      return readInventory(personalizeOf(new PersonalizeClient({ ...config, maxAttempts: 1 })), names);
    },
  };
}
