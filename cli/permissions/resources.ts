import { readFileSync } from "node:fs";

/** Sids of the statements that deploy and remove. */
export type WritingSid =
  | (typeof ACTIONS)[number][0]
  | (typeof SID_OF_SERVICE)[keyof typeof SID_OF_SERVICE]
  | "ApiAccount"
  | "Data"
  | "PassRoles"
  | "ServiceLinkedRoles"
  | "Unnamed"
  | "UseTheKeys";

/**
 * API calls of Terraform's provider for one resource type. An action without a service belongs to the service of the action
 * before it.
 */
interface ProviderCalls {
  read?: string;
  create?: string;
  /** Arguments that are changed in place, by the actions that change them. */
  update?: Readonly<Record<string, string>>;
  tag?: string;
  untag?: string;
  delete?: string;
  /** The service that is passed a role. */
  passes?: string;
  /** The service whose role AWS creates, with the caller's permission; `{name}` is an argument. */
  linked?: string;
  /** Arguments whose change needs a new resource or no call. */
  fixed?: string;
}

/**
 * The calls of the provider, version 5.100.0, for the resources and arguments of the stacks. Sources: its code, which the local
 * cloud checks by deploying, Service Authorization Reference, "Services that work with IAM", "Permissions validation" of Application
 * Auto Scaling.
 */
export const PROVIDER_CALLS: Readonly<Record<string, ProviderCalls>> = JSON.parse(
  readFileSync(new URL("provider-calls.json", import.meta.url), "utf8"),
);

/** Actions of a resource that the stacks have, by the statement that they belong to; `read` is what a plan needs too. */
export function callsOf(
  type: string,
  attributes: Readonly<Record<string, unknown>>,
): [sid: "read" | WritingSid, string][] {
  const calls = PROVIDER_CALLS[type] ?? {};
  const updates = Object.entries(calls.update ?? {}).filter(([, names]) =>
    words(names).some((one) => isSet(attributes[one])),
  );
  const { read = "", create = "", tag = "", untag = "", delete: remove = "", linked, passes } = calls;
  const writing = [create, ...updates.map(([actions]) => actions), tag, untag, remove].flatMap(actionsIn);
  const service = linked?.replace(/\{(\w+)\}/, (_, name) => String(attributes[name]));
  return [
    ...actionsIn(read).map((action) => ["read", action] as const),
    ...writing.flatMap((action) => sidsOf(type, action).map((sid) => [sid, action] as const)),
    ...(service === undefined ? [] : [["ServiceLinkedRoles", service] as const]),
    ...(passes === undefined ? [] : [["PassRoles", `${passes}.amazonaws.com`] as const]),
  ].map(([sid, action]) => [sid, action]);
}

/** Returns the words of a text of the table. */
export const words = (text: string): string[] => text.split(" ").filter((one) => one !== "");

/** Returns the actions in a text of the table, with their services. */
export function actionsIn(text: string): string[] {
  let service = "";
  return words(text).map((word) => {
    const [name = "", prefix] = word.split(":").reverse();
    service = prefix ?? service;
    return `${service}:${name}`;
  });
}

const isSet = (value: unknown) => value !== undefined && value !== false && value !== null;

/** Actions of statements with a condition of their own; those in several need each of them, for other resources. */
const ACTIONS = [
  ["BoundedRoles", "iam:CreateRole PutRolePermissionsBoundary PutRolePolicy UpdateAssumeRolePolicy"],
  ["LogPolicy", "iam:AttachRolePolicy"],
  // Creating them has no resource, and AWS chooses the ids.
  ["EventSources", "lambda:CreateEventSourceMapping DeleteEventSourceMapping UpdateEventSourceMapping"],
  ["MakeWhatIsInPersonalizeAndProbe", "lambda:InvokeFunction"],
  ["Unnamed", "logs:CreateLogDelivery ec2:DescribeNetworkInterfaces"],
  ["Firewall", "wafv2:AssociateWebACL DisassociateWebACL"],
  ["Records", "route53:ChangeResourceRecordSets"],
  ["NewApis", "apigateway:POST"],
  ["TagApis", "apigateway:DELETE PUT"],
  ["Apis", "apigateway:DELETE POST PUT"],
  ["NewKeys", "kms:CreateKey TagResource"],
  ["KeyAliases", "kms:CreateAlias DeleteAlias UpdateAlias"],
  ["OwnKeys", "kms:CreateAlias DeleteAlias TagResource UpdateAlias"],
  ["Endpoints", "ec2:CreateVpcEndpoint ModifyVpcEndpoint"],
  ["PartsOfNetworks", "ec2:AuthorizeSecurityGroupEgress AuthorizeSecurityGroupIngress CreateSecurityGroup"],
  ["PartsOfNetworks", "ec2:DeleteNetworkInterface DetachNetworkInterface ModifySecurityGroupRules"],
  ["NewNetworks", "ec2:CreateSecurityGroup CreateVpcEndpoint"],
  ["TagNewNetworks", "ec2:CreateTags"],
  ["OwnNetworks", "ec2:AuthorizeSecurityGroupEgress AuthorizeSecurityGroupIngress CreateTags ModifySecurityGroupRules"],
  ["OwnNetworks", "ec2:ModifyVpcEndpoint RevokeSecurityGroupIngress"],
  ["DomainGroup", "ec2:AuthorizeSecurityGroupIngress ModifySecurityGroupRules RevokeSecurityGroupIngress"],
  ["NewModels", "sagemaker:CreateEndpoint CreateEndpointConfig CreateModel"],
  ["TagNewModels", "sagemaker:AddTags"],
  ["Models", "sagemaker:AddTags"],
] as const;

const SIDS_OF_ACTION = Map.groupBy(
  ACTIONS.flatMap(([sid, actions]) => actionsIn(actions).map((action) => ({ sid, action }))),
  ({ action }) => action,
);

const SID_OF_SERVICE = {
  apigateway: "Apis",
  "application-autoscaling": "Unnamed",
  cloudwatch: "Observability",
  ec2: "OwnNetworks",
  iam: "Roles",
  kms: "OwnKeys",
  lambda: "Functions",
  logs: "Observability",
  route53: "Unnamed",
  s3: "Bucket",
  sagemaker: "Models",
  sns: "Observability",
} as const;

/**
 * Application Auto Scaling names the alarms, and checks with empty names whether its caller may make them. The setting of API
 * Gateway has no tag.
 */
const SID_OF_TYPE: Readonly<Record<string, WritingSid>> = {
  aws_api_gateway_account: "ApiAccount",
  aws_appautoscaling_policy: "Unnamed",
};

function sidsOf(type: string, action: string): readonly WritingSid[] {
  const ofType = SID_OF_TYPE[type];
  const service = action.split(":")[0] as keyof typeof SID_OF_SERVICE;
  if (ofType !== undefined) return [ofType];
  return SIDS_OF_ACTION.get(action)?.map(({ sid }) => sid) ?? [SID_OF_SERVICE[service] ?? "Data"];
}
