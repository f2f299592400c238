import type { DiscoveryClients } from "../clients.ts";
import { given, type SdkConfig } from "./config.ts";

/** Whose credentials these are. */
export function stsReads(config: SdkConfig): Pick<DiscoveryClients, "account"> {
  return {
    async account() {
      const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
      const { Account } = await new STSClient(config).send(new GetCallerIdentityCommand({}));
      return given(Account, "which account the credentials are of");
    },
  };
}
