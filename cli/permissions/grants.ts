import {
  hostedRerankers,
  mayCallGatewayServices,
  modelEndpoints,
  previousModels,
  referencedModels,
} from "../../lib/infrastructure/endpoints.ts";
import type { StackResources } from "../../lib/infrastructure/stack-resources.ts";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { Configuration, SearchGateway } from "../../lib/settings/configuration.ts";
import { isEndpointModel } from "../../lib/settings/embedding-models.ts";
import { isDeployed } from "../../lib/settings/model-sources.ts";
import { placesOf } from "./places.ts";
import { batching, forgetting, restoring } from "./record-grants.ts";
import { callsOf, type WritingSid } from "./resources.ts";
import { isNeeded, keysOf, statement } from "./statement.ts";

/** Statements by the work that needs them. */
export interface Grants {
  /** Reads the account and Terraform's state: `plan`, `info` and `list`. */
  plan: Statement[];
  /** Deploys and removes, together with `plan`. */
  deploy: Statement[];
  /** Creates the bucket of Terraform's state, together with `plan`; empty for local state. */
  "init-state": Statement[];
  /** Restores tables, together with `plan` and `deploy`; empty without a recommendation service. */
  restore: Statement[];
  /** Makes lists for many users, together with `plan`; empty without a recommendation service. */
  batch: Statement[];
  /** Deletes a user's data, together with `plan`. */
  forget: Statement[];
}

/** Returns the permissions that the commands need for a configuration, whose stacks are given, and no others. */
export function grantsOf(config: Configuration, names: Names, stacks: readonly StackResources[]): Grants {
  const used = actionsOf(stacks);
  const anywhere = new Set(used("Unnamed"));
  const passedTo = [...new Set(used("PassRoles"))].sort();
  const writing = Object.entries(placesOf(config, names, stacks, passedTo)).map(([sid, place]): Statement => {
    const more = commandActions(config, used)[sid as WritingSid] ?? [];
    const actions = sid === "PassRoles" ? ["iam:PassRole"] : [...used(sid as WritingSid), ...more];
    const kept = sid === "Unnamed" ? actions : actions.filter((one) => !anywhere.has(one));
    return { ...statement(sid, kept, ["*"]), ...place };
  });
  return {
    plan: reading(config, names, used("read")),
    deploy: [...writing, serviceLinkedRoles(names, used("ServiceLinkedRoles"))].filter(isNeeded),
    "init-state": initState(config, names),
    restore: restoring(config, names),
    batch: batching(config, names),
    forget: forgetting(config, names),
  };
}

type Used = (sid: "read" | WritingSid) => string[];

/** Returns what the provider calls for the resources of these stacks, by statement. */
function actionsOf(stacks: readonly StackResources[]): Used {
  const calls = stacks.flatMap((stack) =>
    Object.entries(stack).flatMap(([type, byId]) => Object.values(byId).flatMap((one) => callsOf(type, one))),
  );
  return (sid) => calls.filter(([of]) => of === sid).map(([, action]) => action);
}

/** Returns the actions of the commands themselves, not of Terraform. */
function commandActions(
  { project, recommendation, searchGateway }: Configuration,
  used: Used,
): Partial<Record<WritingSid, string[]>> {
  const secrets = used("Data").includes("secretsmanager:CreateSecret");
  return {
    UseTheKeys: [
      ...["kms:CreateGrant", "kms:Encrypt", "kms:GenerateDataKey"],
      // DynamoDB asks with the rights of whoever creates a table. `plan` may describe the project's own keys.
      ...(project.aws.kms_key_arn === undefined ? [] : ["kms:DescribeKey"]),
    ],
    Bucket: ["s3:DeleteObject", "s3:DeleteObjectVersion", "s3:ListBucketVersions", "s3:PutObject"],
    MakeWhatIsInPersonalizeAndProbe: ["lambda:InvokeFunction"],
    // Application Auto Scaling demands it of whoever registers an endpoint.
    Models: searchGateway && scales(searchGateway) ? ["sagemaker:UpdateEndpointWeightsAndCapacities"] : [],
    Data: [
      ...["ssm:DeleteParameters", "ssm:GetParametersByPath", "ssm:PutParameter"],
      // `deploy` writes keys of APIs and of user ids, so that Terraform's state does not contain them.
      ...(secrets ? ["secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue"] : []),
      ...(recommendation ? ["states:DescribeExecution", "states:StartExecution"] : []),
    ],
  };
}

function reading(config: Configuration, names: Names, used: readonly string[]): Statement[] {
  const { api, project, recommendation, searchGateway } = config;
  const { state } = project.terraform;
  const hostNames = searchGateway?.domainNameSystem || api.recommendation_domain_name;
  const bucket = names.bucketArn();
  const role = state.type === "s3" ? state.role_arn : undefined;
  // With a role for the state, that role has these permissions.
  const stateBucket = state.type === "s3" && !role ? [`arn:${names.partition()}:s3:::${state.bucket}`] : [];
  const actions = [
    ...used,
    ...["iam:GetRole", "lambda:GetAccountSettings", "pricing:GetProducts", "servicequotas:ListServiceQuotas"],
    "ssm:GetParameter",
    // `purge` makes sure that no recommendation service is left.
    ...(recommendation
      ? ["personalize:Describe*", "personalize:GetSolutionMetrics", "personalize:List*"]
      : ["personalize:DescribeDatasetGroup"]),
    ...(searchGateway
      ? [
          ...["DescribeSubnets", "DescribeVpcAttribute", "DescribeVpcEndpointServices", "DescribeVpcEndpoints"].map(
            (action) => `ec2:${action}`,
          ),
          ...[
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeVpcs",
            "route53:ListHostedZonesByVPC",
            "es:DescribeDomain",
            "sagemaker:DescribeEndpoint",
          ],
          ...(mayCallGatewayServices(searchGateway) ? ["ec2:DescribePrefixLists", "ec2:DescribeRouteTables"] : []),
          ...(scales(searchGateway) ? ["sagemaker:ListEndpoints"] : []),
        ]
      : []),
    ...(searchGateway && hostsOnBedrock(searchGateway) ? ["bedrock:GetFoundationModel"] : []),
    ...(searchGateway?.opensearch.auth?.type === "basic" ? ["secretsmanager:DescribeSecret"] : []),
    ...(hostNames ? ["acm:DescribeCertificate", "route53:GetHostedZone", "route53:ListHostedZonesByName"] : []),
  ];
  return [
    statement("ReadTheAccount", actions, ["*"]),
    statement(
      "ReadTheBuckets",
      [
        ...["s3:GetAccelerateConfiguration", "s3:GetBucket*", "s3:GetEncryptionConfiguration"],
        ...["s3:GetLifecycleConfiguration", "s3:GetReplicationConfiguration", "s3:ListBucket"],
      ],
      [bucket, ...stateBucket],
    ),
    statement("ReadConfigurationFiles", ["s3:GetObject"], [`${bucket}/*`]),
    statement(
      "KeepTheState",
      ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
      stateBucket.map((arn) => `${arn}/*`),
    ),
    statement(
      "ReadProgress",
      ["dynamodb:GetItem"],
      recommendation ? [names.arn("dynamodb", `table/${names.table("training")}`)] : [],
    ),
    statement(
      "AskTheRequestLog",
      ["athena:GetQueryExecution", "athena:StartQueryExecution"],
      searchGateway ? [names.arn("athena", "workgroup/primary")] : [],
    ),
    { ...statement("ReadEncrypted", ["kms:Decrypt"], ["*"]), ...keysOf(project, names) },
    ...(state.type === "s3" && !role ? [keyOfTheState(state, names)] : []),
    statement("AssumeTheStatesRole", ["sts:AssumeRole"], role ? [role] : []),
  ].filter(isNeeded);
}

/** Returns whether Bedrock hosts a model: plan asks when it ends, `status` whether it may be called. */
export const hostsOnBedrock = (gateway: SearchGateway) =>
  hostedRerankers(gateway).length > 0 ||
  [...referencedModels(gateway), ...previousModels(gateway)].some((name) => !isEndpointModel(name));

/** Returns whether an endpoint of a model scales: an update keeps the number of its instances. */
const scales = (gateway: SearchGateway) =>
  modelEndpoints(gateway).some((one) => isDeployed(one) && one.section.max_instance_count !== undefined);

/** Returns the permission to use the state's key for the state's bucket only: `kms_key_id`, or any, since the bucket names its own. */
function keyOfTheState(
  { bucket, region, kms_key_id }: { bucket: string; region: string; kms_key_id?: string | undefined },
  names: Names,
): Statement {
  const arn = `arn:${names.partition()}:s3:::${bucket}`;
  return {
    ...statement("EncryptTheState", ["kms:Decrypt", "kms:GenerateDataKey"], [kms_key_id ?? "*"]),
    conditions: {
      // In China the name ends in .com.cn.
      StringLike: {
        "kms:EncryptionContext:aws:s3:arn": [arn, `${arn}/*`],
        "kms:ViaService": `s3.${region}.amazonaws.com*`,
      },
    },
  };
}

function serviceLinkedRoles(names: Names, services: readonly string[]): Statement {
  const roles = services.map((service) => names.roleArn("*", `/aws-service-role/${service}.amazonaws.com/`));
  return statement("ServiceLinkedRoles", roles.length > 0 ? ["iam:CreateServiceLinkedRole"] : [], roles);
}

function initState({ project }: Configuration, names: Names): Statement[] {
  const { state } = project.terraform;
  // Another account's bucket is that account's to make.
  if (state.type !== "s3" || state.role_arn !== undefined) return [];
  const actions = [
    ...["s3:CreateBucket", "s3:PutBucketPolicy", "s3:PutBucketPublicAccessBlock", "s3:PutBucketVersioning"],
    "s3:PutEncryptionConfiguration",
  ];
  return [statement("MakeTheStatesBucket", actions, [`arn:${names.partition()}:s3:::${state.bucket}`])];
}
