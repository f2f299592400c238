import {
  CreateSchemaCommand,
  DeleteSchemaCommand,
  DescribeSchemaCommand,
  ListSchemasCommand,
} from "@aws-sdk/client-personalize";
import { ifThere, isNamed } from "../../aws/errors.ts";
import type { Dataset } from "../../config/avro.ts";
import { hashOf } from "../../core/naming/shorten.ts";
import { allPages } from "./lists.ts";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { ifNew } from "./personalize.ts";
import type { ResourceState, SchemaInput } from "./request.ts";

/** Returns the ARN of a schema. Personalize derives it from the name. */
export function schemaArn({ names }: Pick<Managing, "names">, name: string): string {
  return names.arn("personalize", `schema/${name}`);
}

/**
 * Creates the schema if it does not exist; it is ACTIVE at once. Throws ManagerError if another schema has its name.
 */
export async function createSchema(managing: Managing, input: SchemaInput): Promise<ResourceState> {
  const { name, kind, schema } = input;
  const arn = schemaArn(managing, name);
  const created = await ifNew(
    managing.personalize.send(new CreateSchemaCommand({ name, schema: JSON.stringify(schema) })),
  );
  if (!created) {
    const { schema: found } = await managing.personalize.send(new DescribeSchemaCommand({ schemaArn: arn }));
    if (hashOf(JSON.parse(found?.schema ?? "null")) !== hashOf(schema)) {
      throw new ManagerError(`There is a schema ${name} with another content, which is not ours: remove or rename it`);
    }
  }
  return { kind, name, arn, status: "ACTIVE" };
}

/**
 * Deletes a schema. Keeps it if a dataset uses it: that dataset deletes it after changing to the next schema. With
 * `mustGo`, throws ManagerError instead.
 */
export async function deleteSchema(managing: Managing, name: string, mustGo: boolean): Promise<void> {
  try {
    await ifThere(managing.personalize.send(new DeleteSchemaCommand({ schemaArn: schemaArn(managing, name) })));
  } catch (error) {
    if (!isNamed(error, "ResourceInUseException")) throw error;
    if (mustGo)
      throw new ManagerError(`The schema ${name} is still in use: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Deletes the project's schemas of a dataset, except the current one. Terraform does not know the others: for
 * Terraform, changed content only renames the resource.
 */
export async function removeSuperseded(managing: Managing, dataset: Dataset, current: string): Promise<void> {
  const { personalize, names } = managing;
  const schemas = await allPages(
    (nextToken) => personalize.send(new ListSchemasCommand({ nextToken })),
    (page) => page.schemas,
  );
  const prefix = names.schemaPrefix(dataset);
  for (const { name = "" } of schemas) {
    const ours = name.startsWith(prefix) && /^[0-9a-f]{8}$/.test(name.slice(prefix.length));
    if (ours && name !== current) await deleteSchema(managing, name, false);
  }
}
