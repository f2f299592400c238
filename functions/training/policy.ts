import { type Statement, tagPersonalizeResources, writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import { personalizeNames } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";

/**
 * Returns the permissions of training: import, train and serve in the project's dataset group, delete what training
 * created, hold its lock, and describe and stop executions. `resource` returns an ARN of Personalize in the account and
 * region.
 */
export function trainingPolicy(arns: {
  project: string;
  region: string;
  resource: (path: string) => string;
  bucket: string;
  trainingTable: string;
  ingestionTable: string;
  /** ARN of the parameters of campaigns, ending in `*`. */
  campaignParameters: string;
  /** ARNs of the executions of the training and teardown state machines, ending in `*`. */
  executions: readonly string[];
  importRole: string;
  /** KMS key of the bucket, the tables and the parameters. */
  key: string;
  logGroup: string;
}): Statement[] {
  const { project, resource, bucket } = arns;
  const group = resource(`dataset-group/${project}`);
  const datasets = resource(`dataset/${project}/*`);
  const { patterns } = personalizeNames(project);
  const own = (type: keyof typeof patterns) => patterns[type].map((name) => resource(`${type}/${name}`));
  return [
    // No condition on the prefix: see the same statement in the policy of etl.
    { sid: "ListTheBucket", actions: ["s3:ListBucket"], resources: [bucket] },
    { sid: "ReadRuns", actions: ["s3:GetObject"], resources: [`${bucket}/${PREFIXES.etl}*`] },
    {
      sid: "KeepTheLock",
      actions: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
      resources: [arns.trainingTable],
    },
    { sid: "ReadCounters", actions: ["dynamodb:BatchGetItem"], resources: [arns.ingestionTable] },
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
      resources: [group, datasets, ...own("dataset-import-job")],
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
      ],
      resources: [group, ...own("solution")],
    },
    tagPersonalizeResources(["TagResource"], arns.region),
    {
      sid: "Serve",
      actions: [
        "personalize:CreateCampaign",
        "personalize:DescribeCampaign",
        "personalize:UpdateCampaign",
        "personalize:DeleteCampaign",
      ],
      resources: [...own("campaign"), ...own("solution")],
    },
    {
      // These actions list the whole account, so IAM supports no resource for them.
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
