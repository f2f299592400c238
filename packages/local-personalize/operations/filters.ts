import { parseFilter } from "@relevance/lib/personalize/filters/parser.ts";
import { FilterError } from "@relevance/lib/personalize/filters/tokens.ts";
import { distinctFields, type FilterSchemas, validateFilter } from "@relevance/lib/personalize/filters/validate.ts";
import { FILTER_LIMITS } from "@relevance/lib/personalize/limits.ts";
import * as v from "valibot";
import type { Account } from "../account.ts";
import { ARN, NAME, TAGS, text } from "../members.ts";
import type { Filter } from "../resources.ts";
import { invalid } from "../service-error.ts";
import {
  BY_GROUP,
  beginDeletion,
  describing,
  listing,
  type Operation,
  onResource,
  operation,
  summaryOf,
} from "./operation.ts";

const summary = (filter: Filter) => ({ ...summaryOf(filter), datasetGroupArn: filter.groupArn });

/** The operations on filters. A filter cannot be updated. */
export const FILTERS: Readonly<Record<string, Operation>> = {
  CreateFilter: operation(
    v.strictObject({
      name: NAME,
      datasetGroupArn: ARN,
      filterExpression: text(FILTER_LIMITS.expressionCharacters, { shortest: 1 }),
      tags: TAGS,
    }),
    ({ name, datasetGroupArn, filterExpression, tags }, account) => {
      const group = account.find("dataset-group", datasetGroupArn);
      // CreateFilter has no ResourceInUseException.
      if (group.status !== "ACTIVE") throw invalid(`Dataset group ${group.arn} is not ACTIVE, it is ${group.status}.`);
      const others = account.list("filter").filter(({ groupArn }) => groupArn === group.arn);
      checkExpression(filterExpression, schemasOf(account, group.arn), others);
      const most = FILTER_LIMITS.filtersPerGroup;
      const message = `More than ${most} filters in dataset group ${group.arn}. Please delete some and try again.`;
      return account.add(
        { kind: "filter", name, groupArn: group.arn, expression: filterExpression },
        { tags, quota: { present: others.length, most, message } },
      );
    },
  ),
  DescribeFilter: describing("filter", (filter) => ({ ...summary(filter), filterExpression: filter.expression })),
  ListFilters: listing("filter", summary, BY_GROUP, "Filters"),
  DeleteFilter: onResource("filter", beginDeletion),
};

function schemasOf(account: Account, groupArn: string): FilterSchemas {
  const fields = (type: "INTERACTIONS" | "ITEMS" | "USERS") => {
    const dataset = account.datasetOf(groupArn, type);
    return dataset && account.schemaOf(dataset).fields;
  };
  const [Interactions, Items, Users] = [fields("INTERACTIONS"), fields("ITEMS"), fields("USERS")];
  return { ...(Interactions && { Interactions }), ...(Items && { Items }), ...(Users && { Users }) };
}

function checkExpression(expression: string, schemas: FilterSchemas, others: readonly Filter[]): void {
  try {
    const filter = parseFilter(expression);
    const [problem] = validateFilter(filter, schemas);
    if (problem) throw problem;
    const fields = new Set(distinctFields(filter));
    for (const other of others) for (const field of distinctFields(parseFilter(other.expression))) fields.add(field);
    if (fields.size > FILTER_LIMITS.fieldsPerGroup) {
      throw new FilterError(
        `the filters of a dataset group use at most ${FILTER_LIMITS.fieldsPerGroup} distinct fields together`,
      );
    }
  } catch (error) {
    if (error instanceof FilterError) throw invalid(`Could not create filter. Invalid Expression: ${error.message}`);
    throw error;
  }
}
