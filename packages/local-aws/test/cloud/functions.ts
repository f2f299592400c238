import { randomUUID } from "node:crypto";
import {
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  InvokeCommand,
  type InvokeCommandInput,
  type LambdaClient,
} from "@aws-sdk/client-lambda";
import { zipSync } from "fflate";
import type { TestCloud } from "../../../../test/fixtures/cloud.ts";
import { callIam } from "./raw-api.ts";

/** Returns a name that no other test uses. */
export const unique = (prefix: string) => `${prefix}-${randomUUID().slice(0, 13)}`;

/** Returns a zip file with one module, `index.mjs`. */
export const zipOf = (source: string) => zipSync({ "index.mjs": Buffer.from(source) });

const everything = (more: object) =>
  JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "*", ...more }] });

/** Creates a role that any service may assume and that may do everything, for tests of something else. */
export async function createRole(cloud: TestCloud): Promise<string> {
  const RoleName = unique("role");
  const AssumeRolePolicyDocument = everything({ Principal: "*", Action: "sts:AssumeRole" });
  await callIam(cloud, { Action: "CreateRole", RoleName, AssumeRolePolicyDocument });
  const PolicyDocument = everything({ Resource: "*" });
  await callIam(cloud, { Action: "PutRolePolicy", RoleName, PolicyName: "everything", PolicyDocument });
  return `arn:aws:iam::${cloud.accountId}:role/${RoleName}`;
}

/** Creates a function from a module's source, which exports `handler`. Returns its name. */
export async function createFunction(
  cloud: TestCloud,
  lambda: LambdaClient,
  source: string,
  more: Partial<CreateFunctionCommandInput> = {},
): Promise<string> {
  const FunctionName = unique("function");
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      Role: await createRole(cloud),
      Runtime: "nodejs22.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      Code: { ZipFile: zipOf(source) },
      Timeout: 10,
      ...more,
    }),
  );
  return FunctionName;
}

/** Invokes a function and waits; `payload` is the parsed response, `logs` the end of the log. */
export async function invoke(
  lambda: LambdaClient,
  name: string,
  event?: unknown,
  more: Partial<InvokeCommandInput> = {},
) {
  const answer = await lambda.send(
    new InvokeCommand({
      FunctionName: name,
      LogType: "Tail",
      ...(event === undefined ? {} : { Payload: Buffer.from(JSON.stringify(event)) }),
      ...more,
    }),
  );
  return {
    status: answer.StatusCode,
    error: answer.FunctionError,
    version: answer.ExecutedVersion,
    payload: JSON.parse(answer.Payload?.transformToString() || "null"),
    logs: Buffer.from(answer.LogResult ?? "", "base64").toString(),
  };
}
