import { ifThere } from "../../../lib/aws/errors.ts";
import { once } from "../../../lib/core/resilience/once.ts";
import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";

/** Reads parameters. */
export function ssmReads(config: SdkConfig): Pick<DiscoveryClients, "parameter"> {
  const client = once(async () => {
    const { SSMClient } = await import("@aws-sdk/client-ssm");
    return new SSMClient(config);
  });
  return {
    async parameter(Name) {
      const { GetParameterCommand } = await import("@aws-sdk/client-ssm");
      const answer = (await client()).send(new GetParameterCommand({ Name }));
      return (await ifThere(answer))?.Parameter?.Value;
    },
  };
}
