import type { DiscoveryClients } from "../clients.ts";
import { given, type SdkConfig } from "./config.ts";

/** Reads the account of the credentials. */
export function stsReads(config: SdkConfig): Pick<DiscoveryClients, "account"> {
  return {
    async account() {
      const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
      const { Account } = await new STSClient(config).send(new GetCallerIdentityCommand({}));
      return given(Account, "the account of the credentials");
    },
  };
}
