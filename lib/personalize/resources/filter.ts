import {
  CreateFilterCommand,
  DeleteFilterCommand,
  DescribeFilterCommand,
  type Filter,
} from "@aws-sdk/client-personalize";
import { ifThere, isDeleted, isNamed } from "../../aws/errors.ts";
import { filterQuotaText } from "./filter-quota.ts";
import { listFilters } from "./lists.ts";
import { ManagerError } from "./manager-error.ts";
import type { Managing } from "./managing.ts";
import { ifNew, type Personalize } from "./personalize.ts";
import type { FilterInput, ResourceState } from "./request.ts";
import { tagList } from "./tags.ts";
import { hasFailed, untilActive, untilGone, untilSettled } from "./waiting.ts";

const filterArn = ({ names }: Managing, name: string) => names.arn("personalize", `filter/${name}`);

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
  const look = () => describeFilter(personalize, arn);

  const before = await untilSettled(what, patience, look);
  if (before && !hasFailed(before.status) && before.filterExpression !== expression) {
    throw new ManagerError(`There is a filter ${name} with another expression, ${before.filterExpression}: remove it`);
  }
  if (before && hasFailed(before.status)) await remove(managing, name, what);
  if (!before || hasFailed(before.status)) {
    const command = { name, datasetGroupArn: names.datasetGroupArn(), filterExpression: expression };
    try {
      await ifNew(personalize.send(new CreateFilterCommand({ ...command, tags: tagList(input.tags) })));
    } catch (error) {
      throw await refusal(managing, what, error);
    }
  }
  await untilActive(what, patience, look).catch(async (error: unknown) => {
    // A failed filter would count against the quota, and Terraform does not know it.
    if (error instanceof ManagerError) await remove(managing, name, what);
    throw error;
  });
  await pointers.write(names.filterParameter(filter), arn);
  return { kind, name, arn, status: "ACTIVE" };
}

/**
 * Deletes the filter. If requests still use it, deletes its pointer first; throws ManagerError instead unless the input
 * is `deletable`.
 */
export async function deleteFilter(managing: Managing, input: FilterInput): Promise<void> {
  const { names, pointers } = managing;
  const { name, filter } = input;
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
}

async function remove(managing: Managing, name: string, what: string): Promise<void> {
  const { personalize, patience } = managing;
  const arn = filterArn(managing, name);
  const look = () => describeFilter(personalize, arn);
  if (!(await untilSettled(what, patience, look))) return;
  const deletion = personalize.send(new DeleteFilterCommand({ filterArn: arn }));
  if (!(await isDeleted(deletion))) throw new ManagerError(`${what} is in use by Personalize: apply again later`);
  await untilGone(what, patience, look);
}

/** Returns the error of a rejected creation, in terms of filter.yaml. */
async function refusal(managing: Managing, what: string, error: unknown): Promise<unknown> {
  if (isNamed(error, "InvalidInputException")) {
    return new ManagerError(`${what} is refused: ${(error as Error).message}`, { cause: error });
  }
  if (!isNamed(error, "LimitExceededException")) return error;
  const filters = await listFilters(managing.personalize, managing.names.datasetGroupArn());
  const present = filters.flatMap(({ name }) => name ?? []);
  return new ManagerError(`${what} does not fit into the quota. ${filterQuotaText(present)}`, { cause: error });
}

/** Returns the filter; undefined if there is none. */
export async function describeFilter(
  personalize: Personalize,
  filterArn: string | undefined,
): Promise<Filter | undefined> {
  return (await ifThere(personalize.send(new DescribeFilterCommand({ filterArn }))))?.filter;
}
