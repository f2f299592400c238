import {
  CreateFilterCommand,
  DeleteFilterCommand,
  DescribeFilterCommand,
  ListFiltersCommand,
} from "@aws-sdk/client-personalize";
import { ifFree, ifThere, isNamed } from "../../aws/errors.ts";
import { datasetGroupArn } from "./dataset-group.ts";
import { filterQuotaText } from "./filter-quota.ts";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { allPages, ifNew } from "./personalize.ts";
import type { FilterInput, ResourceState } from "./request.ts";
import { tagList } from "./tags.ts";
import { failed, hasFailed, untilGone, untilSettled } from "./waiting.ts";

/** Returns the ARN of a filter. Personalize derives it from the name. */
export function filterArn({ names }: Pick<Managing, "names">, name: string): string {
  return names.arn("personalize", `filter/${name}`);
}

/**
 * Creates the filter if it does not exist, waits until it is ACTIVE, and switches the pointer, so that requests use it.
 * If creation fails, deletes the filter, leaves the pointer unchanged, and throws ManagerError with Personalize's
 * reason.
 */
export async function createFilter(managing: Managing, input: FilterInput): Promise<ResourceState> {
  const { personalize, names, patience, pointers } = managing;
  const { kind, name, filter, expression } = input;
  const what = `The filter ${filter} (${name})`;
  const arn = filterArn(managing, name);
  const look = () => describe(managing, name);

  const before = await untilSettled(what, patience, look);
  if (before && !hasFailed(before.status) && before.filterExpression !== expression) {
    throw new ManagerError(`There is a filter ${name} with another expression, ${before.filterExpression}: remove it`);
  }
  if (before && hasFailed(before.status)) await remove(managing, name, what);
  if (!before || hasFailed(before.status)) {
    const command = { name, datasetGroupArn: datasetGroupArn(managing), filterExpression: expression };
    try {
      await ifNew(personalize.send(new CreateFilterCommand({ ...command, tags: tagList(input.tags) })));
    } catch (error) {
      throw await refusal(managing, what, error);
    }
  }
  const found = await untilSettled(what, patience, look);
  if (!found) throw new ManagerError(`${what} was removed while waiting for it: apply again`);
  if (hasFailed(found.status)) {
    // A failed filter would count against the quota, and Terraform does not know it.
    await remove(managing, name, what);
    throw failed(what, found);
  }
  await pointers.write(names.filterParameter(filter), arn);
  return { kind, name, arn, status: "ACTIVE" };
}

/**
 * Deletes the filter. If requests still use it, deletes its pointer first; throws ManagerError instead unless the input
 * is `deletable`.
 */
export async function deleteFilter(managing: Managing, input: FilterInput): Promise<ResourceState> {
  const { names, pointers } = managing;
  const { kind, name, filter } = input;
  const pointer = names.filterParameter(filter);
  if ((await pointers.read(pointer)) === filterArn(managing, name)) {
    if (!input.deletable) {
      throw new ManagerError(
        `The filter ${filter} (${name}) is in use, and the input does not say that it may be deleted. ` +
          "A changed expression is another filter, which is created and switched to before",
      );
    }
    await pointers.remove(pointer);
  }
  await remove(managing, name, `The filter ${filter} (${name})`);
  return { kind, name, arn: null, status: "deleted" };
}

async function remove(managing: Managing, name: string, what: string): Promise<void> {
  const { personalize, patience } = managing;
  const look = () => describe(managing, name);
  if (!(await untilSettled(what, patience, look))) return;
  const command = new DeleteFilterCommand({ filterArn: filterArn(managing, name) });
  const answer = await ifFree(ifThere(personalize.send(command)).then((found) => found ?? {}));
  if (!answer) throw new ManagerError(`${what} is in use by Personalize: apply again later`);
  await untilGone(what, patience, look);
}

/** Returns the error of a rejected creation, in terms of filter.yaml. */
async function refusal(managing: Managing, what: string, error: unknown): Promise<unknown> {
  if (isNamed(error, "InvalidInputException")) {
    return new ManagerError(`${what} is refused: ${(error as Error).message}`, { cause: error });
  }
  if (!isNamed(error, "LimitExceededException")) return error;
  const group = datasetGroupArn(managing);
  const filters = await allPages(
    (nextToken) => managing.personalize.send(new ListFiltersCommand({ datasetGroupArn: group, nextToken })),
    (page) => page.Filters,
  );
  const present = filters.flatMap(({ name }) => name ?? []);
  return new ManagerError(`${what} does not fit into the quota. ${filterQuotaText(present)}`, { cause: error });
}

async function describe(managing: Managing, name: string) {
  const command = new DescribeFilterCommand({ filterArn: filterArn(managing, name) });
  return (await ifThere(managing.personalize.send(command)))?.filter;
}
