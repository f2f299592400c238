import {
  CreateFilterCommand,
  DeleteFilterCommand,
  DescribeFilterCommand,
  type Filter,
} from "@aws-sdk/client-personalize";
import { ignoreNotFound, isDeleted, isNamed } from "../../platform/aws/errors.ts";
import { FILTER_LIMITS } from "../limits.ts";
import { hasFailed, type Managing, untilActive, untilGone, untilSettled } from "./managing.ts";
import { ifNew, listFilters, ManagerError, type Personalize, tagList } from "./personalize.ts";
import type { FilterInput, ResourceState } from "./request.ts";

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
  return (await ignoreNotFound(personalize.send(new DescribeFilterCommand({ filterArn }))))?.filter;
}

/** Returns the text that explains the quota of filters and what to do about it. */
function filterQuotaText(present: readonly string[], quota?: number): string {
  const takes = quota === undefined ? "takes no more" : `takes ${quota}`;
  return (
    `The dataset group has ${present.length} filters, and Personalize ${takes}: ${present.join(", ")}. ` +
    "A changed expression is a new filter beside the old one until it is ACTIVE, so changing one needs a free place: " +
    "take a filter out of filter.yaml and deploy, then change the other and put it back, or have the quota raised"
  );
}

/**
 * Returns why a plan cannot be applied: existing and new filters together exceed the quota. New filters are created
 * before old ones are deleted, so both count at the same time. Undefined if the quota, or else the usual one, allows them.
 */
export function filterQuotaProblem(
  present: readonly string[],
  wanted: readonly string[],
  quota: number = FILTER_LIMITS.filtersPerGroup,
): string | undefined {
  const atOnce = new Set([...present, ...wanted]);
  if (atOnce.size <= quota) return undefined;
  const created = wanted.filter((name) => !present.includes(name));
  return `There is no room for ${created.join(", ")} beside those. ${filterQuotaText(present, quota)}`;
}
