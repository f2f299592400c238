import * as v from "valibot";
import { ARN, NAME, PAGE, ROLE_ARN, TAGS, text } from "../members.ts";
import type { DataDeletionJob, Status } from "../resources.ts";
import { dates, inProgress, type Operation, operation, page, requireActive, requireRoom } from "./operation.ts";

/** The API's words for the states of these jobs. Source: DataDeletionJob$status of the API model. */
const STATUS: Readonly<Partial<Record<Status, string>>> = {
  "CREATE PENDING": "PENDING",
  "CREATE IN_PROGRESS": "IN_PROGRESS",
  ACTIVE: "COMPLETED",
  "CREATE FAILED": "FAILED",
};

const summary = (job: DataDeletionJob) => ({
  dataDeletionJobArn: job.arn,
  datasetGroupArn: job.groupArn,
  jobName: job.name,
  status: STATUS[job.status] ?? job.status,
  ...(job.failureReason !== undefined && { failureReason: job.failureReason }),
  ...dates(job),
});

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
      const running = account.list("data-deletion-job").filter(inProgress);
      requireRoom(running.length, 1, "More than 1 resources with PENDING or IN_PROGRESS status.");
      const arn = account.arn(`data-deletion-job/${jobName}`);
      const { dataLocation } = dataSource;
      account.add(
        { kind: "data-deletion-job", arn, name: jobName, groupArn: datasetGroupArn, dataLocation, roleArn },
        tags,
      );
      return { dataDeletionJobArn: arn };
    },
  ),
  DescribeDataDeletionJob: operation(v.strictObject({ dataDeletionJobArn: ARN }), ({ dataDeletionJobArn }, account) => {
    const job = account.find("data-deletion-job", dataDeletionJobArn);
    const { dataLocation, roleArn, numDeleted } = job;
    return {
      dataDeletionJob: {
        ...summary(job),
        dataSource: { dataLocation },
        roleArn,
        ...(numDeleted !== undefined && { numDeleted }),
      },
    };
  }),
  ListDataDeletionJobs: operation(v.strictObject({ datasetGroupArn: v.optional(ARN), ...PAGE }), (input, account) => {
    const own = account.list("data-deletion-job");
    const { shown, next } = page(
      own.filter(({ groupArn }) => groupArn === (input.datasetGroupArn ?? groupArn)),
      input,
    );
    return { dataDeletionJobs: shown.map(summary), ...next };
  }),
};
