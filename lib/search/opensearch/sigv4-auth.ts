import { AwsSigv4Signer } from "@opensearch-project/opensearch/aws-v3";
import type { AwsVariables } from "../../platform/aws/signed-call.ts";
import type { ClusterAuth } from "./auth.ts";

/** Signs calls with Signature Version 4 for the service `es`: path, query, headers and body hash. */
export function sigv4Auth(region: string, variables: () => AwsVariables): ClusterAuth {
  const getCredentials = async () => {
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN } = variables();
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
    };
  };
  return { signer: () => AwsSigv4Signer({ region, service: "es", getCredentials }) };
}
