import { domainSuffixOf } from "../naming/partitions.ts";
import { call } from "./call.ts";
import { type AwsVariables, authorized, sent, sha256 } from "./signed-call.ts";
import type { ReadIfChanged } from "./versioned-documents.ts";

/** Which object is read, and the milliseconds that one attempt may take. */
interface ObjectRead {
  bucket: string;
  /** Of letters, digits, `/`, `-` and `.`, which need no encoding. */
  key: string;
  timeoutMs: number;
}

/** Implements ReadIfChanged with one signed request to S3, so that its client (400 kB) need not be loaded. */
export function signedIfChanged(variables: () => AwsVariables, { bucket, key, timeoutMs }: ObjectRead): ReadIfChanged {
  return (etag, deadline) =>
    call({ deadline, timeoutMs }, async (signal) => {
      const { AWS_REGION: region = "", AWS_ENDPOINT_URL } = variables();
      const url = new URL(`/${bucket}/${key}`, AWS_ENDPOINT_URL || `https://s3.${region}.${domainSuffixOf(region)}`);
      const headers = {
        host: url.host,
        "x-amz-content-sha256": sha256(""),
        ...(etag !== undefined && { "if-none-match": etag }),
      };
      const unsigned = { service: "s3", method: "GET", path: url.pathname, headers, body: "" } as const;
      const signed = authorized(unsigned, variables(), new Date());
      const answer = await sent(url, { method: "GET", headers: signed, body: "", signal });
      if (answer.status === 304) return "unchanged";
      if (answer.status === 200) return { text: answer.text, etag: answer.headers.etag };
      const [, name = "Error"] = /<Code>(\w+)<\/Code>/.exec(answer.text) ?? [];
      const message = `S3 answered ${answer.status} to the read of ${key}`;
      throw Object.assign(new Error(message), { name, $metadata: { httpStatusCode: answer.status } });
    });
}
