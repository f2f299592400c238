import * as v from "valibot";
import { ARN, NAME, PAGE, ROLE_ARN, TAGS, text } from "../members.ts";
import type { ImportJob } from "../resources.ts";
import { invalid } from "../service-error.ts";
import { dates, inProgress, type Operation, operation, page, requireActive, requireRoom, state } from "./operation.ts";

const MOST_AT_ONCE = 5;

const summary = (job: ImportJob) => ({
  datasetImportJobArn: job.arn,
  jobName: job.name,
  importMode: job.importMode,
  ...state(job),
  ...dates(job),
});

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
      const dataset = account.find("dataset", datasetArn);
      requireActive(dataset);
      const message = `More than ${MOST_AT_ONCE} resources with PENDING or IN_PROGRESS status.`;
      requireRoom(account.list("dataset-import-job").filter(inProgress).length, MOST_AT_ONCE, message);
      const arn = account.arn(`dataset-import-job/${jobName}`);
      const { dataLocation } = dataSource;
      account.add(
        { kind: "dataset-import-job", arn, name: jobName, datasetArn, dataLocation, roleArn, importMode },
        tags,
      );
      return { datasetImportJobArn: arn };
    },
  ),
  DescribeDatasetImportJob: operation(
    v.strictObject({ datasetImportJobArn: ARN }),
    ({ datasetImportJobArn }, account) => {
      const job = account.find("dataset-import-job", datasetImportJobArn);
      const { datasetArn, dataLocation, roleArn } = job;
      return {
        datasetImportJob: {
          ...summary(job),
          datasetArn,
          dataSource: { dataLocation },
          roleArn,
          publishAttributionMetricsToS3: false,
        },
      };
    },
  ),
  ListDatasetImportJobs: operation(v.strictObject({ datasetArn: v.optional(ARN), ...PAGE }), (input, account) => {
    const jobs = account.list("dataset-import-job");
    const { shown, next } = page(
      jobs.filter((job) => job.datasetArn === (input.datasetArn ?? job.datasetArn)),
      input,
    );
    return { datasetImportJobs: shown.map(summary), ...next };
  }),
};
