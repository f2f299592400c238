import type { DiscoveryClients } from "../clients.ts";
import { once, type SdkConfig, unlessAbsent } from "./config.ts";

/** Parameters. */
export function ssmReads(config: SdkConfig): Pick<DiscoveryClients, "parameter"> {
  const client = once(async () => {
    const { SSMClient } = await import("@aws-sdk/client-ssm");
    return new SSMClient(config);
  });
  return {
    async parameter(Name) {
      const { GetParameterCommand } = await import("@aws-sdk/client-ssm");
      const answer = (await client()).send(new GetParameterCommand({ Name }));
      return (await unlessAbsent(answer, "ParameterNotFound"))?.Parameter?.Value;
    },
  };
}
