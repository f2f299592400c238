import {
  CreateDatasetCommand,
  CreateSchemaCommand,
  type Dataset,
  DeleteDatasetCommand,
  DeleteSchemaCommand,
  DescribeDatasetCommand,
  DescribeSchemaCommand,
  ListSchemasCommand,
  UpdateDatasetCommand,
} from "@aws-sdk/client-personalize";
import { ignoreNotFound, isDeleted, isNamed } from "../../platform/aws/errors.ts";
import { hashOf } from "../../platform/naming/names.ts";
import { RECORD_NAMES } from "../../settings/avro.ts";
import {
  failed,
  hasFailed,
  isMoving,
  type Life,
  type Managing,
  untilActive,
  untilGone,
  untilSettled,
} from "./managing.ts";
import {
  allPages,
  ifNew,
  listImports,
  listSolutions,
  listVersions,
  ManagerError,
  type Personalize,
  tagList,
} from "./personalize.ts";
import type { DatasetInput, ResourceState, SchemaInput } from "./request.ts";

/**
 * Creates the dataset if it does not exist, changes it to the schema of the input, and waits for both. Deletes its
 * previous schemas, even if an earlier invocation started the change and timed out.
 */
export async function convergeDataset(managing: Managing, input: DatasetInput): Promise<ResourceState> {
  const { personalize, names, patience } = managing;
  const { kind, name, dataset } = input;
  const what = `The dataset ${name}`;
  const arn = names.datasetArn(dataset);
  const wanted = schemaArn(managing, input.schema);
  const look = () => describeDataset(personalize, arn);

  const before = await untilSettled(what, patience, look);
  if (before && hasFailed(before.status)) await deleteDataset(managing, input);
  if (!before || hasFailed(before.status)) {
    const type = { schemaArn: wanted, datasetGroupArn: names.datasetGroupArn(), datasetType: RECORD_NAMES[dataset] };
    await ifNew(personalize.send(new CreateDatasetCommand({ name, ...type, tags: tagList(input.tags) })));
  }
  const found = await untilActive(what, patience, look);
  if (found.schemaArn !== wanted) await changeSchema(managing, arn, what, wanted);
  await removeSuperseded(managing, dataset, input.schema);
  return { kind, name, arn, status: "ACTIVE" };
}

/** Deletes the dataset with its imported data. */
export async function deleteDataset(managing: Managing, { name, dataset }: DatasetInput): Promise<void> {
  const { personalize, names, patience } = managing;
  const what = `The dataset ${name}`;
  const datasetArn = names.datasetArn(dataset);
  const look = () => describeDataset(personalize, datasetArn);
  if (!(await untilSettled(what, patience, look))) return;
  if (!(await isDeleted(personalize.send(new DeleteDatasetCommand({ datasetArn }))))) {
    const busy = await busyWith(personalize, { datasetGroupArn: names.datasetGroupArn(), datasetArn });
    const by = busy.length > 0 ? busy.join(", ") : "Personalize itself";
    throw new ManagerError(
      `${what} is in use by ${by}. Stop what was started by hand, or wait until it has ended; then run this again`,
    );
  }
  await untilGone(what, patience, look);
}

/** Lists the imports and trainings that are using a dataset, as in `the import x (CREATE IN_PROGRESS)`. */
async function busyWith(
  personalize: Personalize,
  { datasetGroupArn, datasetArn }: { datasetGroupArn: string; datasetArn: string },
): Promise<string[]> {
  const imports = await listImports(personalize, datasetArn);
  const found = imports
    .filter(({ status }) => isMoving(status))
    .map(({ jobName, status }) => `the import ${jobName} (${status})`);
  for (const { name, solutionArn } of await listSolutions(personalize, datasetGroupArn)) {
    const moving = (await listVersions(personalize, solutionArn)).filter(({ status }) => isMoving(status));
    found.push(...moving.map(({ status }) => `a training of the solution ${name} (${status})`));
  }
  return found;
}

async function changeSchema(managing: Managing, arn: string, what: string, wanted: string): Promise<void> {
  const { personalize, patience } = managing;
  const update = async (): Promise<(Life & { schemaArn?: string | undefined }) | undefined> => {
    const found = await describeDataset(personalize, arn);
    if (found?.schemaArn === wanted) return { status: "ACTIVE", schemaArn: wanted };
    return found?.latestDatasetUpdate;
  };
  const running = await untilSettled(`The schema of ${what.toLowerCase()}`, patience, update);
  if (running?.schemaArn !== wanted || hasFailed(running.status)) {
    try {
      await personalize.send(new UpdateDatasetCommand({ datasetArn: arn, schemaArn: wanted }));
    } catch (error) {
      if (!isNamed(error, "InvalidInputException")) throw error;
      throw new ManagerError(
        `${what} cannot take the schema ${wanted}: ${(error as Error).message} ` +
          "Personalize only takes new fields that may be null, and keeps the others as they are: " +
          "change the schema file, or `relevance uninstall` and deploy again",
        { cause: error },
      );
    }
    const done = await untilSettled(`The schema of ${what.toLowerCase()}`, patience, update);
    if (done && hasFailed(done.status)) throw failed(`The schema change of ${what.toLowerCase()}`, done);
  }
}

/** Returns the dataset; undefined if there is none. */
export async function describeDataset(personalize: Personalize, datasetArn: string): Promise<Dataset | undefined> {
  return (await ignoreNotFound(personalize.send(new DescribeDatasetCommand({ datasetArn }))))?.dataset;
}

/** Returns the ARN of a schema. Personalize derives it from the name. */
function schemaArn({ names }: Pick<Managing, "names">, name: string): string {
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
    await ignoreNotFound(managing.personalize.send(new DeleteSchemaCommand({ schemaArn: schemaArn(managing, name) })));
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
async function removeSuperseded(managing: Managing, dataset: DatasetInput["dataset"], current: string): Promise<void> {
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
