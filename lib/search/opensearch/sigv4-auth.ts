import { createHash } from "node:crypto";
import { sign } from "aws4";
import type { ClusterAuth } from "./auth.ts";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Signs calls with Signature Version 4 for the service `es`: path, query, headers and body hash. */
export function sigv4Auth(region: string, credentials: () => AwsCredentials): ClusterAuth {
  return {
    async headers({ method, hostname, target, headers, body = "" }) {
      const hash = createHash("sha256").update(body).digest("hex");
      // The body itself is not passed on: for one without a content type, the signer would add that of a form.
      const signed = sign(
        {
          service: "es",
          region,
          method,
          path: target,
          headers: { ...headers, host: hostname, "x-amz-content-sha256": hash },
        },
        credentials(),
      );
      return signed.headers as Record<string, string>;
    },
  };
}
