import { chunks } from "../../../lib/platform/aws/call.ts";
import { ignoreNotFound } from "../../../lib/platform/aws/errors.ts";
import type { SdkConfig } from "./config.ts";

/** The most names that DeleteParameters accepts. */
const MAX_DELETED = 10;

/** Reads a parameter; undefined if it does not exist. */
export async function readParameter(sdk: SdkConfig, Name: string): Promise<string | undefined> {
  const { GetParameterCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  return (await ignoreNotFound(new SSMClient(sdk).send(new GetParameterCommand({ Name }))))?.Parameter?.Value;
}

/** Writes parameters, replacing existing ones. */
export async function writeParameters(sdk: SdkConfig, values: Readonly<Record<string, string>>): Promise<void> {
  const { PutParameterCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient(sdk);
  for (const [Name, Value] of Object.entries(values)) {
    await client.send(new PutParameterCommand({ Name, Value, Type: "String", Overwrite: true }));
  }
}

/** Returns the names of all parameters under a path, sorted. */
export async function parametersBelow(sdk: SdkConfig, path: string): Promise<string[]> {
  const { paginateGetParametersByPath, SSMClient } = await import("@aws-sdk/client-ssm");
  const names: string[] = [];
  const pages = paginateGetParametersByPath({ client: new SSMClient(sdk) }, { Path: path, Recursive: true });
  for await (const { Parameters = [] } of pages) names.push(...Parameters.flatMap(({ Name }) => Name ?? []));
  return names.sort();
}

/** Deletes parameters, ignoring missing ones. */
export async function deleteParameters(sdk: SdkConfig, names: readonly string[]): Promise<void> {
  const { DeleteParametersCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient(sdk);
  for (const Names of chunks(names, MAX_DELETED)) await client.send(new DeleteParametersCommand({ Names }));
}
