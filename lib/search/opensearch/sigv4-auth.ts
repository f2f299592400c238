import { AwsSigv4Signer } from "@opensearch-project/opensearch/aws-v3";
import type { ClusterAuth } from "./auth.ts";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Signs calls with Signature Version 4 for the service `es`: path, query, headers and body hash. */
export function sigv4Auth(region: string, credentials: () => AwsCredentials): ClusterAuth {
  return { signer: () => AwsSigv4Signer({ region, service: "es", getCredentials: async () => credentials() }) };
}
