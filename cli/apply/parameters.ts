import { chunks } from "../../lib/aws/call.ts";
import { ifThere } from "../../lib/aws/errors.ts";
import type { Session } from "../session.ts";

type Sdk = Session["sdk"];

/** Longest list of names that DeleteParameters takes. */
const MAX_DELETED = 10;

/** A parameter's value; undefined when there is none of that name. */
export async function readParameter(sdk: Sdk, Name: string): Promise<string | undefined> {
  const { GetParameterCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  return (await ifThere(new SSMClient(sdk).send(new GetParameterCommand({ Name }))))?.Parameter?.Value;
}

/** Writes parameters; those that are there are replaced. */
export async function writeParameters(sdk: Sdk, values: Readonly<Record<string, string>>): Promise<void> {
  const { PutParameterCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient(sdk);
  for (const [Name, Value] of Object.entries(values)) {
    await client.send(new PutParameterCommand({ Name, Value, Type: "String", Overwrite: true }));
  }
}

/** Names of all parameters that start with a path. */
export async function parametersBelow(sdk: Sdk, path: string): Promise<string[]> {
  const { paginateGetParametersByPath, SSMClient } = await import("@aws-sdk/client-ssm");
  const names: string[] = [];
  const pages = paginateGetParametersByPath({ client: new SSMClient(sdk) }, { Path: path, Recursive: true });
  for await (const { Parameters = [] } of pages) names.push(...Parameters.flatMap(({ Name }) => Name ?? []));
  return names.sort();
}

/** Deletes parameters; those that are not there are no error. */
export async function deleteParameters(sdk: Sdk, names: readonly string[]): Promise<void> {
  const { DeleteParametersCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient(sdk);
  for (const Names of chunks(names, MAX_DELETED)) await client.send(new DeleteParametersCommand({ Names }));
}
