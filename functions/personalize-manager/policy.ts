import { type Statement, tagPersonalizeResources, writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import { personalizeNames } from "../../lib/platform/naming/names.ts";

/**
 * Returns the permissions of personalize-manager: create, change, describe and delete the project's resources, and
 * switch the parameters that name them. `resource` returns an ARN of Personalize in the account and region, as in
 * `resource("filter/demo-*")`. `parameters` are the ARNs of those parameters, some ending in `*`.
 */
export function personalizeManagerPolicy(arns: {
  project: string;
  region: string;
  resource: (path: string) => string;
  parameters: readonly string[];
  trainingTable: string;
  /** KMS key of tables and parameters. */
  key: string;
  logGroup: string;
}): Statement[] {
  const { project, resource } = arns;
  const groups = [resource(`dataset-group/${project}`)];
  const { patterns } = personalizeNames(project);
  const own = (type: keyof typeof patterns) => patterns[type].map((name) => resource(`${type}/${name}`));
  const datasets = resource(`dataset/${project}/*`);
  // The ARN of an event tracker is random, and Personalize has no condition keys, not even those of tags (Service
  // Authorization Reference, "Amazon Personalize"), so IAM cannot tell the trackers of projects apart. The function only
  // deletes one that is in its own dataset group.
  const trackers = resource("event-tracker/*");
  return [
    {
      sid: "ManageTheDatasetGroup",
      actions: ["personalize:CreateDatasetGroup", "personalize:DescribeDatasetGroup", "personalize:DeleteDatasetGroup"],
      resources: groups,
    },
    {
      sid: "ManageSchemas",
      actions: ["personalize:CreateSchema", "personalize:DescribeSchema", "personalize:DeleteSchema"],
      resources: [...own("schema")],
    },
    {
      sid: "ManageDatasets",
      actions: [
        "personalize:CreateDataset",
        "personalize:DescribeDataset",
        "personalize:UpdateDataset",
        "personalize:DeleteDataset",
      ],
      resources: [...groups, datasets, ...own("schema")],
    },
    {
      sid: "ManageTheEventTracker",
      actions: ["personalize:CreateEventTracker", "personalize:DescribeEventTracker", "personalize:DeleteEventTracker"],
      resources: [...groups, trackers],
    },
    {
      sid: "ManageFilters",
      actions: ["personalize:CreateFilter", "personalize:DescribeFilter", "personalize:DeleteFilter"],
      resources: [...groups, ...own("filter")],
    },
    {
      sid: "ManageCampaigns",
      actions: [
        "personalize:CreateCampaign",
        "personalize:DescribeCampaign",
        "personalize:UpdateCampaign",
        "personalize:DeleteCampaign",
      ],
      resources: [...own("campaign"), ...own("solution")],
    },
    {
      sid: "ReadWhatTrainingMade",
      actions: ["personalize:DescribeSolutionVersion", "personalize:GetSolutionMetrics"],
      resources: [...own("solution")],
    },
    {
      // These actions list the whole account, so IAM supports no resource for them.
      sid: "ListResources",
      actions: [
        "personalize:ListDatasetImportJobs",
        "personalize:ListEventTrackers",
        "personalize:ListFilters",
        "personalize:ListSchemas",
        "personalize:ListSolutions",
        "personalize:ListSolutionVersions",
      ],
      resources: ["*"],
    },
    tagPersonalizeResources(["ListTagsForResource", "TagResource", "UntagResource"], arns.region),
    {
      sid: "SwitchPointers",
      actions: ["ssm:GetParameter", "ssm:PutParameter", "ssm:DeleteParameter"],
      resources: arns.parameters,
    },
    { sid: "ReadWhatIsServed", actions: ["dynamodb:GetItem"], resources: [arns.trainingTable] },
    { sid: "UseTheKey", actions: ["kms:Decrypt"], resources: [arns.key] },
    writeLogs(arns.logGroup),
  ];
}
