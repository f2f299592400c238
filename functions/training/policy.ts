import { type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";

/**
 * What training may do: import, train and serve in the project's dataset group, remove what training made, keep its
 * lock, and look at and stop executions. `resource` gives an ARN of Personalize in the account and region.
 */
export function trainingPolicy(arns: {
  project: string;
  resource: (path: string) => string;
  bucket: string;
  trainingTable: string;
  ingestionTable: string;
  /** ARN of the parameters of campaigns, with `*` at its end. */
  campaignParameters: string;
  /** Executions of the training and teardown state machines, with `*` at their ends. */
  executions: readonly string[];
  importRole: string;
  /** Key of bucket, tables and parameters. */
  key: string;
  logGroup: string;
}): Statement[] {
  const { project, resource, bucket } = arns;
  const group = resource(`dataset-group/${project}`);
  const datasets = resource(`dataset/${project}/*`);
  const own = (type: string) => resource(`${type}/${project}-*`);
  return [
    // Without a condition on the prefix: see the same statement of etl.
    { sid: "ListTheBucket", actions: ["s3:ListBucket"], resources: [bucket] },
    { sid: "ReadRuns", actions: ["s3:GetObject"], resources: [`${bucket}/${PREFIXES.etl}*`] },
    {
      sid: "KeepTheLock",
      actions: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
      resources: [arns.trainingTable],
    },
    { sid: "ReadCounters", actions: ["dynamodb:Query"], resources: [arns.ingestionTable] },
    { sid: "UseTheKey", actions: ["kms:Decrypt"], resources: [arns.key] },
    {
      sid: "SwitchCampaigns",
      actions: ["ssm:GetParameter", "ssm:PutParameter", "ssm:DeleteParameter"],
      resources: [arns.campaignParameters],
    },
    {
      sid: "LookAtExecutions",
      actions: ["states:DescribeExecution", "states:StopExecution"],
      resources: arns.executions,
    },
    {
      sid: "Import",
      actions: ["personalize:CreateDatasetImportJob", "personalize:DescribeDatasetImportJob"],
      resources: [group, datasets, own("dataset-import-job")],
    },
    {
      sid: "GiveTheImportItsRole",
      actions: ["iam:PassRole"],
      resources: [arns.importRole],
      conditions: { StringEquals: { "iam:PassedToService": "personalize.amazonaws.com" } },
    },
    {
      sid: "DescribeTheDatasetGroup",
      actions: ["personalize:DescribeDatasetGroup", "personalize:DescribeDataset"],
      resources: [group, datasets],
    },
    {
      sid: "Train",
      actions: [
        "personalize:CreateSolution",
        "personalize:DescribeSolution",
        "personalize:DeleteSolution",
        "personalize:CreateSolutionVersion",
        "personalize:DescribeSolutionVersion",
        "personalize:StopSolutionVersionCreation",
        "personalize:GetSolutionMetrics",
        "personalize:TagResource",
      ],
      resources: [group, own("solution"), own("dataset-import-job"), own("campaign")],
    },
    {
      sid: "Serve",
      actions: [
        "personalize:CreateCampaign",
        "personalize:DescribeCampaign",
        "personalize:UpdateCampaign",
        "personalize:DeleteCampaign",
      ],
      resources: [own("campaign"), own("solution")],
    },
    {
      // Lists are of the account: these actions know no resource.
      sid: "ListResources",
      actions: [
        "personalize:ListCampaigns",
        "personalize:ListDatasetImportJobs",
        "personalize:ListSolutions",
        "personalize:ListSolutionVersions",
      ],
      resources: ["*"],
    },
    writeLogs(arns.logGroup),
  ];
}
