import type { Cloud } from "../cloud/front.ts";

/**
 * Creates a role in the local cloud. moto requires an existing role for functions but does not check its content. Sends
 * the request by hand, because these are the only calls to IAM outside of Terraform and not worth an SDK client.
 */
export async function createRole({ endpoint }: Pick<Cloud, "endpoint">, name: string): Promise<void> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      // moto reads the service from the signature but does not verify the signature.
      authorization:
        "AWS4-HMAC-SHA256 Credential=test/20000101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({
      Action: "CreateRole",
      Version: "2010-05-08",
      RoleName: name,
      AssumeRolePolicyDocument: JSON.stringify({ Version: "2012-10-17", Statement: [] }),
    }),
  });
  if (!answer.ok) throw new Error(`no role ${name}: ${answer.status} ${await answer.text()}`);
}
