import { type FilterRecord, itemTest, parseFilterValues } from "../../../lib/personalize/filters/evaluate.ts";
import { everyCondition, type Filter, parseFilter } from "../../../lib/personalize/filters/parser.ts";
import { FilterError } from "../../../lib/personalize/filters/tokens.ts";
import type { Account } from "../account.ts";
import { invalid } from "../service-error.ts";
import type { Serving } from "./campaign.ts";

interface FilterInput {
  filterArn?: string | undefined;
  filterValues?: Readonly<Record<string, string>> | undefined;
  userId?: string | undefined;
  itemId?: string | undefined;
}

/** Returns a test for the items of a response. Throws the service's error for a filter that cannot be applied. */
export function requestFilter(account: Account, serving: Serving, input: FilterInput): (itemId: string) => boolean {
  const { filterArn, filterValues = {}, userId, itemId } = input;
  if (filterArn === undefined) {
    if (Object.keys(filterValues).length > 0) throw invalid("filterValues needs a filterArn.");
    return () => true;
  }
  const filter = account.find("filter", filterArn);
  if (filter.groupArn !== serving.groupArn) throw invalid(`Filter ${filterArn} is of another dataset group.`);
  if (filter.status !== "ACTIVE") throw invalid(`Filter ${filterArn} is not ACTIVE, it is ${filter.status}.`);
  const parsed = parseFilter(filter.expression);
  if (serving.recipe.type !== "RELATED_ITEMS" && readsCurrentItem(parsed)) {
    throw invalid(`Filter ${filterArn} uses CurrentItem, which works with related items only.`);
  }
  const items = recordsOf(account, serving.groupArn, "ITEMS");
  const users = recordsOf(account, serving.groupArn, "USERS");
  try {
    const passes = itemTest(parsed, {
      values: parseFilterValues(filterValues),
      interactions: userId === undefined ? [] : interactionsOf(account, serving.groupArn, userId),
      currentUser: userId === undefined ? undefined : users.get(userId),
      currentItem: itemId === undefined ? undefined : items.get(itemId),
    });
    return (candidate) => passes(candidate, items.get(candidate));
  } catch (error) {
    if (error instanceof FilterError) throw invalid(`Filter ${filterArn}: ${error.message}.`);
    throw error;
  }
}

/** Returns the rows of a group's items or users by ID. Empty if the group has no such dataset. */
export function recordsOf(
  account: Account,
  groupArn: string,
  type: "ITEMS" | "USERS",
): ReadonlyMap<string, FilterRecord> {
  const dataset = account.datasetOf(groupArn, type);
  return dataset ? account.data(dataset.arn).records(type === "ITEMS" ? "ITEM_ID" : "USER_ID") : new Map();
}

function interactionsOf(account: Account, groupArn: string, userId: string) {
  const dataset = account.datasetOf(groupArn, "INTERACTIONS");
  return dataset ? account.data(dataset.arn).interactions().ofUser(userId) : [];
}

function readsCurrentItem(filter: Filter): boolean {
  for (const { condition } of everyCondition(filter)) {
    if (condition.operands.some(({ kind }) => kind === "field")) return true;
  }
  return false;
}
