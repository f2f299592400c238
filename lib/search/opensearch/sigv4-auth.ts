import { AwsSigv4Signer } from "@opensearch-project/opensearch/aws-v3";
import type { AwsVariables } from "../../platform/aws/signed-call.ts";
import type { ClusterAuth } from "./auth.ts";

const SERVICE = "es";

/** Signs calls with Signature Version 4 for the service `es`: path, query, headers and body hash. */
export function sigv4Auth(region: string, variables: () => AwsVariables): ClusterAuth {
  const credentials = () => {
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN } = variables();
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
    };
  };
  const { Connection } = AwsSigv4Signer({ region, service: SERVICE, getCredentials: async () => credentials() });
  return { signer: { Connection, credentials: () => ({ region, service: SERVICE, credentials: credentials() }) } };
}
