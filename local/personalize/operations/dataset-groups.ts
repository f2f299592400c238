import * as v from "valibot";
import { ARN, NAME, PAGE, ROLE_ARN, TAGS, text } from "../members.ts";
import type { DatasetGroup } from "../resources.ts";
import { invalid } from "../service-error.ts";
import {
  beginDeletion,
  dates,
  type Operation,
  ofGroup,
  operation,
  page,
  requireRoom,
  requireUnused,
  state,
} from "./operation.ts";

const MOST_GROUPS = 5;
const KMS_KEY_ARN = text(2048, { pattern: /^arn:aws.*:kms:.*:[0-9]{12}:key\/.*$/ });
const ByArn = v.strictObject({ datasetGroupArn: ARN });

const summary = (group: DatasetGroup) => ({
  name: group.name,
  datasetGroupArn: group.arn,
  ...state(group),
  ...dates(group),
});

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
      const arn = account.arn(`dataset-group/${name}`);
      if (!account.get(arn)) {
        const message = `More than ${MOST_GROUPS} resources in ACTIVE state. Please delete some and try again.`;
        requireRoom(account.list("dataset-group").length, MOST_GROUPS, message);
      }
      account.add({ kind: "dataset-group", arn, name, ...(roleArn && kmsKeyArn && { roleArn, kmsKeyArn }) }, tags);
      return { datasetGroupArn: arn };
    },
  ),
  DescribeDatasetGroup: operation(ByArn, ({ datasetGroupArn }, account) => {
    const group = account.find("dataset-group", datasetGroupArn);
    const { roleArn, kmsKeyArn } = group;
    return { datasetGroup: { ...summary(group), ...(roleArn && { roleArn }), ...(kmsKeyArn && { kmsKeyArn }) } };
  }),
  ListDatasetGroups: operation(v.strictObject(PAGE), (input, account) => {
    const { shown, next } = page(account.list("dataset-group"), input);
    return { datasetGroups: shown.map(summary), ...next };
  }),
  DeleteDatasetGroup: operation(ByArn, ({ datasetGroupArn }, account) => {
    const group = account.find("dataset-group", datasetGroupArn);
    requireUnused(group, ofGroup(account, group.arn, "event-tracker", "solution", "dataset", "filter"));
    return beginDeletion(group, account);
  }),
};
