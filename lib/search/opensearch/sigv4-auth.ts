import { AwsSigv4Signer } from "@opensearch-project/opensearch/aws-v3";
import type { ClusterAuth } from "./auth.ts";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

type Signer = (options: object) => ReturnType<NonNullable<ClusterAuth["signer"]>>;

/** Signs calls with Signature Version 4 for the service `es`: path, query, headers and body hash. */
export function sigv4Auth(region: string, getCredentials: () => Promise<AwsCredentials>): ClusterAuth {
  return { signer: () => (AwsSigv4Signer as unknown as Signer)({ region, service: "es", getCredentials }) };
}
