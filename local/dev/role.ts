import { CreateRoleCommand, EntityAlreadyExistsException, IAMClient, PutRolePolicyCommand } from "@aws-sdk/client-iam";
import { rootOptions } from "../cloud/account.ts";
import type { Cloud } from "../cloud/front.ts";

type Place = Pick<Cloud, "endpoint">;

const TRUSTS_NOBODY = JSON.stringify({ Version: "2012-10-17", Statement: [] });

/** Creates a role in the local cloud, unless it exists. By default no service may assume it. */
export async function createRole(
  cloud: Place,
  RoleName: string,
  AssumeRolePolicyDocument = TRUSTS_NOBODY,
): Promise<void> {
  try {
    await iam(cloud).send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  } catch (error) {
    if (!(error instanceof EntityAlreadyExistsException)) throw error;
  }
}

/** Gives a role a policy. */
export async function putRolePolicy(
  cloud: Place,
  RoleName: string,
  PolicyName: string,
  PolicyDocument: string,
): Promise<void> {
  await iam(cloud).send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument }));
}

const iam = (cloud: Place) => new IAMClient(rootOptions(cloud));
