import * as v from "valibot";
import { ARN, NAME, ROLE_ARN, TAGS, text } from "../members.ts";
import type { DataDeletionJob, Status } from "../resources.ts";
import {
  BY_GROUP,
  describing,
  listing,
  type Operation,
  operation,
  requireActive,
  requireRoom,
  summaryOf,
} from "./operation.ts";

/** The API's words for the states of these jobs. Source: DataDeletionJob$status of the API model. */
const STATUS: Readonly<Partial<Record<Status, string>>> = {
  "CREATE PENDING": "PENDING",
  "CREATE IN_PROGRESS": "IN_PROGRESS",
  ACTIVE: "COMPLETED",
  "CREATE FAILED": "FAILED",
};

function summary(job: DataDeletionJob) {
  const { name: jobName, ...common } = summaryOf(job);
  return { ...common, jobName, datasetGroupArn: job.groupArn, status: STATUS[job.status] ?? job.status };
}

/** The operations on data deletion jobs, which remove users from all datasets of a group. */
export const DATA_DELETION_JOBS: Readonly<Record<string, Operation>> = {
  CreateDataDeletionJob: operation(
    v.strictObject({
      jobName: NAME,
      datasetGroupArn: ARN,
      dataSource: v.strictObject({ dataLocation: text(256, { pattern: /^(s3|http|https):\/\/.+$/ }) }),
      roleArn: ROLE_ARN,
      tags: TAGS,
    }),
    ({ jobName, datasetGroupArn, dataSource, roleArn, tags }, account) => {
      requireActive(account.find("dataset-group", datasetGroupArn));
      requireRoom(account, "data-deletion-job", 1);
      const job = { name: jobName, groupArn: datasetGroupArn, dataLocation: dataSource.dataLocation, roleArn };
      return account.add({ kind: "data-deletion-job", ...job }, { tags });
    },
  ),
  DescribeDataDeletionJob: describing("data-deletion-job", (job) => {
    const { dataLocation, roleArn, numDeleted } = job;
    const deleted = numDeleted !== undefined && { numDeleted };
    return { ...summary(job), dataSource: { dataLocation }, roleArn, ...deleted };
  }),
  ListDataDeletionJobs: listing("data-deletion-job", summary, BY_GROUP),
};
