import { failureKind } from "../../../lib/aws/errors.ts";
import type { DiscoveryClients } from "../clients.ts";
import { given, type SdkConfig } from "./config.ts";

/** Reads existing model endpoints. */
export function sageMakerReads(config: SdkConfig): Pick<DiscoveryClients, "modelEndpoint"> {
  return {
    async modelEndpoint(name) {
      const { DescribeEndpointCommand, SageMakerClient } = await import("@aws-sdk/client-sagemaker");
      try {
        const found = await new SageMakerClient(config).send(new DescribeEndpointCommand({ EndpointName: name }));
        return {
          arn: given(found.EndpointArn, "the ARN of the endpoint"),
          status: given(found.EndpointStatus, "the status of the endpoint"),
          variant: given(found.ProductionVariants?.[0]?.VariantName, "the variant of the endpoint"),
        };
      } catch (error) {
        // SageMaker answers ValidationException for an endpoint that is not there.
        if (failureKind(error) === "absent" || /Could not find endpoint/i.test(String(error))) return undefined;
        throw error;
      }
    },
  };
}
