import type { DiscoveryClients } from "../clients.ts";
import { acmReads } from "./acm.ts";
import { apiGatewayReads } from "./api-gateway.ts";
import type { SdkConfig } from "./config.ts";
import { ec2Reads } from "./ec2.ts";
import { iamReads } from "./iam.ts";
import { openSearchReads } from "./opensearch.ts";
import { personalizeReads } from "./personalize.ts";
import { route53Reads } from "./route53.ts";
import { sageMakerReads } from "./sagemaker.ts";
import { secretsReads } from "./secrets.ts";
import { ssmReads } from "./ssm.ts";
import { stsReads } from "./sts.ts";

/** Creates the discovery clients over the AWS SDK. Each SDK client is loaded on first use. */
export function sdkDiscoveryClients(config: SdkConfig): DiscoveryClients {
  return {
    ...stsReads(config),
    ...openSearchReads(config),
    ...ec2Reads(config),
    ...apiGatewayReads(config),
    ...iamReads(config),
    ...acmReads(config),
    ...route53Reads(config),
    ...sageMakerReads(config),
    ...secretsReads(config),
    ...ssmReads(config),
    ...personalizeReads(config),
  };
}
