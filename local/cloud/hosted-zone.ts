import { randomUUID } from "node:crypto";
import type { Cloud } from "./front.ts";

/**
 * Creates a public hosted zone in the local cloud and returns its ID, without the leading path. Sends the request by
 * hand: this is the only call to Route 53 outside of Terraform, and the SDK client would add 1 MB.
 */
export async function createHostedZone(
  { endpoint, region }: Pick<Cloud, "endpoint" | "region">,
  domainName: string,
): Promise<string> {
  const namespace = "https://route53.amazonaws.com/doc/2013-04-01/";
  const response = await fetch(`${endpoint}/2013-04-01/hostedzone`, {
    method: "POST",
    headers: {
      // moto reads the service from the signature but does not verify the signature.
      authorization: `AWS4-HMAC-SHA256 Credential=test/20000101/${region}/route53/aws4_request, SignedHeaders=host, Signature=0`,
      "content-type": "application/xml",
    },
    body:
      `<CreateHostedZoneRequest xmlns="${namespace}"><Name>${domainName}</Name>` +
      `<CallerReference>${randomUUID()}</CallerReference></CreateHostedZoneRequest>`,
  });
  const answer = await response.text();
  const id = /<Id>\/hostedzone\/([^<]+)<\/Id>/.exec(answer)?.[1];
  if (!response.ok || !id) throw new Error(`no hosted zone for ${domainName}: ${response.status} ${answer}`);
  return id;
}
