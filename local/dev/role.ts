import type { Cloud } from "../cloud/front.ts";

type Place = Pick<Cloud, "endpoint">;

const TRUSTS_NOBODY = JSON.stringify({ Version: "2012-10-17", Statement: [] });

/**
 * Creates a role in the local cloud, unless it exists. By default no service may assume it.
 */
export async function createRole(cloud: Place, name: string, trust = TRUSTS_NOBODY): Promise<void> {
  await callIam(cloud, { Action: "CreateRole", RoleName: name, AssumeRolePolicyDocument: trust });
}

/** Gives a role a policy. */
export async function putRolePolicy(cloud: Place, role: string, name: string, policy: string): Promise<void> {
  await callIam(cloud, { Action: "PutRolePolicy", RoleName: role, PolicyName: name, PolicyDocument: policy });
}

/**
 * Sends a request to IAM by hand, because these are the only calls to IAM outside of Terraform and not worth an SDK
 * client.
 */
async function callIam({ endpoint }: Place, parameters: Record<string, string>): Promise<void> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      // moto reads the service from the signature but does not verify the signature.
      authorization:
        "AWS4-HMAC-SHA256 Credential=test/20000101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ Version: "2010-05-08", ...parameters }),
  });
  const text = await answer.text();
  if (!answer.ok && !text.includes("EntityAlreadyExists")) {
    throw new Error(`${parameters.Action} of ${parameters.RoleName}: ${answer.status} ${text}`);
  }
}
