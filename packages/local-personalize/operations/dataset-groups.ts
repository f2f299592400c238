import * as v from "valibot";
import { NAME, ROLE_ARN, TAGS, text } from "../members.ts";
import { invalid } from "../service-error.ts";
import {
  beginDeletion,
  describing,
  listing,
  type Operation,
  onResource,
  operation,
  requireUnused,
  summaryOf,
} from "./operation.ts";

const MOST_GROUPS = 5;
const KMS_KEY_ARN = text(2048, { pattern: /^arn:aws.*:kms:.*:[0-9]{12}:key\/.*$/ });
const USERS: readonly string[] = ["event-tracker", "solution", "dataset", "filter"];

/** The operations on dataset groups. Domain dataset groups are rejected. */
export const DATASET_GROUPS: Readonly<Record<string, Operation>> = {
  CreateDatasetGroup: operation(
    v.strictObject({
      name: NAME,
      roleArn: v.optional(ROLE_ARN),
      kmsKeyArn: v.optional(KMS_KEY_ARN),
      domain: v.optional(v.picklist(["ECOMMERCE", "VIDEO_ON_DEMAND"])),
      tags: TAGS,
    }),
    ({ name, roleArn, kmsKeyArn, domain, tags }, account) => {
      if (domain) throw invalid(`The local Personalize has no domain dataset groups, got domain ${domain}.`);
      if ((roleArn === undefined) !== (kmsKeyArn === undefined)) {
        throw invalid("A dataset group takes roleArn and kmsKeyArn together, or neither.");
      }
      const quota = { present: account.list("dataset-group").length, most: MOST_GROUPS };
      const encryption = roleArn && kmsKeyArn && { roleArn, kmsKeyArn };
      return account.add({ kind: "dataset-group", name, ...encryption }, { tags, quota });
    },
  ),
  DescribeDatasetGroup: describing("dataset-group", (group) => {
    const { roleArn, kmsKeyArn } = group;
    return { ...summaryOf(group), ...(roleArn && { roleArn }), ...(kmsKeyArn && { kmsKeyArn }) };
  }),
  ListDatasetGroups: listing("dataset-group", summaryOf),
  DeleteDatasetGroup: onResource("dataset-group", (group, account) => {
    const own = account.all().filter((one) => "groupArn" in one && one.groupArn === group.arn);
    requireUnused(
      group,
      own.filter(({ kind }) => USERS.includes(kind)),
    );
    return beginDeletion(group, account);
  }),
};
