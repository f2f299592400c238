import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";

/** Reads API Gateway's setting for the account and region. */
export function apiGatewayReads(config: SdkConfig): Pick<DiscoveryClients, "apiGatewayLogRole"> {
  return {
    async apiGatewayLogRole() {
      const { APIGatewayClient, GetAccountCommand } = await import("@aws-sdk/client-api-gateway");
      const { cloudwatchRoleArn } = await new APIGatewayClient(config).send(new GetAccountCommand({}));
      return cloudwatchRoleArn || undefined;
    },
  };
}
