import type { Cloud } from "../cloud/front.ts";

/**
 * Makes a role in the local cloud, which wants functions to have one and checks nothing else about it. By hand, because
 * these are the only calls to IAM outside of Terraform: not worth a client.
 */
export async function createRole({ endpoint }: Pick<Cloud, "endpoint">, name: string): Promise<void> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      // The service is read from the signature, which is not checked.
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
