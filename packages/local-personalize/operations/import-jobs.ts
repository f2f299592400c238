import * as v from "valibot";
import { ARN, NAME, ROLE_ARN, TAGS, text } from "../members.ts";
import type { ImportJob } from "../resources.ts";
import { invalid } from "../service-error.ts";
import { describing, listing, type Operation, operation, requireActive, requireRoom, summaryOf } from "./operation.ts";

const MOST_AT_ONCE = 5;

function summary(job: ImportJob) {
  const { name: jobName, ...common } = summaryOf(job);
  return { ...common, jobName, importMode: job.importMode };
}

/** The operations on dataset import jobs, which read CSV files from S3. */
export const IMPORT_JOBS: Readonly<Record<string, Operation>> = {
  CreateDatasetImportJob: operation(
    v.strictObject({
      jobName: NAME,
      datasetArn: ARN,
      dataSource: v.strictObject({ dataLocation: text(256, { pattern: /^(s3|http|https):\/\/.+$/ }) }),
      roleArn: v.optional(ROLE_ARN),
      importMode: v.optional(v.picklist(["FULL", "INCREMENTAL"]), "FULL"),
      publishAttributionMetricsToS3: v.optional(v.boolean(), false),
      tags: TAGS,
    }),
    ({ jobName, datasetArn, dataSource, roleArn, importMode, publishAttributionMetricsToS3, tags }, account) => {
      if (!/^s3:\/\/[^/]+/.test(dataSource.dataLocation)) throw invalid("Invalid Data location.");
      if (publishAttributionMetricsToS3) throw invalid("The local Personalize has no metric attributions.");
      if (roleArn === undefined) throw invalid("roleArn is needed to read from Amazon S3.");
      requireActive(account.find("dataset", datasetArn));
      requireRoom(account, "dataset-import-job", MOST_AT_ONCE);
      const job = { name: jobName, datasetArn, dataLocation: dataSource.dataLocation, roleArn, importMode };
      return account.add({ kind: "dataset-import-job", ...job }, { tags });
    },
  ),
  DescribeDatasetImportJob: describing("dataset-import-job", (job) => {
    const { datasetArn, dataLocation, roleArn } = job;
    const dataSource = { dataLocation };
    return { ...summary(job), datasetArn, dataSource, roleArn, publishAttributionMetricsToS3: false };
  }),
  ListDatasetImportJobs: listing("dataset-import-job", summary, {
    member: "datasetArn",
    owns: (arn, { datasetArn }) => arn === datasetArn,
  }),
};
