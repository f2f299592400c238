/** Resources and conditions of the statements that deploy. What AWS cannot narrow is in decision 73. */
import { hasSuggestions } from "../../lib/infrastructure/endpoints.ts";
import type { StackResources } from "../../lib/infrastructure/stack-resources.ts";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { PROJECT_TAG } from "../../lib/platform/naming/tags.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import type { WritingSid } from "./resources.ts";
import { keysOf } from "./statement.ts";

/** Where the actions of a statement are allowed. */
export type Place = Pick<Statement, "resources" | "conditions">;

/** Returns the place of each statement; services that are passed a role come from the provider's calls. */
export function placesOf(
  config: Configuration,
  names: Names,
  stacks: readonly StackResources[],
  passedTo: readonly string[],
): Partial<Record<WritingSid, Place>> {
  const { project, api, searchGateway } = config;
  const name = project.project_name;
  const own = (service: string, ...paths: string[]) => paths.map((path) => names.arn(service, path));
  const named = (type: string, attribute: string) => [
    ...new Set(stacks.flatMap((stack) => Object.values(stack[type] ?? {}).map((one) => String(one[attribute])))),
  ];
  const parameters = names.parameterPrefix().slice(1);
  const functions = named("aws_lambda_function", "function_name").flatMap((one) =>
    own("lambda", `function:${one}`, `function:${one}:*`),
  );
  const apiArns = (...paths: string[]) => paths.map((path) => names.arn("apigateway", path).replace(/:\d+:/, "::"));
  const tagged = { StringEquals: { [`aws:ResourceTag/${PROJECT_TAG}`]: name } };
  const tagging = { StringEquals: { [`aws:RequestTag/${PROJECT_TAG}`]: name } };
  const models = own("sagemaker", ...["endpoint", "endpoint-config", "model"].map((kind) => `${kind}/${name}-*`));
  const networks = own("ec2", "security-group/*", "security-group-rule/*", "vpc-endpoint/*");
  return {
    ...rolePlaces(config, names, named("aws_iam_role", "name"), passedTo),
    Apis: {
      resources: apiArns(...["restapis", "apikeys", "usageplans", "domainnames"].map((one) => `/${one}/*`)),
      conditions: tagged,
    },
    NewApis: { resources: apiArns("/restapis", "/apikeys", "/usageplans", "/domainnames"), conditions: tagging },
    // A tag that came later could make another project's API one of this project's.
    TagApis: {
      resources: apiArns("/tags/*"),
      conditions: { "ForAllValues:StringNotEquals": { "aws:TagKeys": PROJECT_TAG }, Null: { "aws:TagKeys": "false" } },
    },
    ApiAccount: { resources: apiArns("/account") },
    Firewall: { resources: [api.waf_web_acl_arn ?? [], apiArns("/restapis/*/stages/*")].flat() },
    Unnamed: { resources: ["*"] },
    UseTheKeys: keysOf(project, names),
    // A new key has neither tag nor alias yet, which a key of somebody else has.
    NewKeys: {
      resources: ["*"],
      conditions: { ...tagging, Null: { [`aws:ResourceTag/${PROJECT_TAG}`]: "true", "kms:ResourceAliases": "true" } },
    },
    OwnKeys: { resources: own("kms", "key/*"), conditions: tagged },
    KeyAliases: { resources: own("kms", ...named("aws_kms_alias", "name")) },
    Endpoints: { resources: own("ec2", "route-table/*", "security-group/*", "subnet/*", "vpc/*") },
    PartsOfNetworks: { resources: own("ec2", "network-interface/*", "security-group-rule/*", "vpc/*") },
    NewNetworks: { resources: own("ec2", "security-group/*", "vpc-endpoint/*"), conditions: tagging },
    TagNewNetworks: {
      resources: networks,
      conditions: {
        StringEquals: {
          ...tagging.StringEquals,
          "ec2:CreateAction": [
            "AuthorizeSecurityGroupEgress",
            "AuthorizeSecurityGroupIngress",
            "CreateSecurityGroup",
            "CreateVpcEndpoint",
          ],
        },
      },
    },
    OwnNetworks: { resources: networks, conditions: tagged },
    DomainGroup: {
      resources: searchGateway?.vpc.create_domain_ingress
        ? own("ec2", `security-group/${searchGateway.vpc.domain_security_group_id ?? "*"}`)
        : [],
    },
    Records: recordPlace(config, names),
    Bucket: { resources: [names.bucketArn(), `${names.bucketArn()}/*`] },
    Functions: { resources: [...functions, ...own("lambda", "event-source-mapping:*")] },
    EventSources: { resources: ["*"], conditions: { ArnLike: { "lambda:FunctionArn": functions } } },
    MakeWhatIsInPersonalizeAndProbe: {
      resources: [
        ...(["personalize-manager", "api-router", "recommendation-api"] as const),
        // `suggest build` calls it.
        ...(searchGateway && hasSuggestions(searchGateway) ? (["suggestions"] as const) : []),
      ].map((one) => names.arn("lambda", `function:${names.function(one)}:*`)),
    },
    Models: { resources: models, conditions: tagged },
    NewModels: { resources: models, conditions: tagging },
    TagNewModels: {
      resources: models,
      conditions: {
        StringEquals: {
          ...tagging.StringEquals,
          "sagemaker:TaggingAction": ["CreateEndpoint", "CreateEndpointConfig", "CreateModel"],
        },
      },
    },
    Observability: {
      resources: [
        ...own("cloudwatch", `alarm:${name}-*`),
        names.arn("cloudwatch", `dashboard/${name}*`).replace(/:[a-z0-9-]+:(\d+):/, "::$1:"),
        ...own("logs", `log-group:/aws/*/${name}-*`, "log-group:API-Gateway-Execution-Logs_*"),
        ...own("sns", `${name}-*`),
      ],
    },
    Data: {
      resources: [
        ...own("dynamodb", `table/${name}-*`),
        ...own("events", `rule/${name}-*`),
        ...own("firehose", `deliverystream/${name}-*`),
        ...own("glue", "catalog", `database/${names.glueDatabase()}`, `table/${names.glueDatabase()}/*`),
        ...own("scheduler", `schedule/default/${name}-*`),
        ...own("secretsmanager", `secret:/${parameters}*`),
        ...own("sqs", `${name}-*`),
        ...own("ssm", `parameter/${parameters}*`),
        ...own("states", `stateMachine:${name}-*`, `execution:${name}-*`),
      ],
    },
  };
}

/** Roles by their whole names: a prefix would be that of other projects, too. */
function rolePlaces(
  { project, api }: Configuration,
  names: Names,
  roles: readonly string[],
  passedTo: readonly string[],
) {
  const { permissions_boundary_arn: boundary, role_path } = project.aws;
  const logRole = api.cloud_watch_role_name ?? names.role("api-gateway-logs");
  const resources = roles.flatMap((one) => [
    // An account has a name once, whatever the path. An existing log role keeps its path.
    ...(role_path !== "/" || one === api.cloud_watch_role_name ? [names.roleArn(one, "/*/")] : []),
    ...(role_path === "/" || one === api.cloud_watch_role_name ? [names.roleArn(one, "/")] : []),
  ]);
  const bounded = boundary === undefined ? {} : { StringEquals: { "iam:PermissionsBoundary": boundary } };
  const policy = `arn:${names.partition()}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`;
  return {
    Roles: { resources },
    BoundedRoles: { resources, ...(boundary !== undefined && { conditions: bounded }) },
    LogPolicy: {
      resources: resources.filter((arn) => arn.endsWith(`/${logRole}`)),
      conditions: { ...bounded, ArnEquals: { "iam:PolicyARN": policy } },
    },
    PassRoles: { resources, conditions: { StringEquals: { "iam:PassedToService": passedTo } } },
  };
}

/** The records of the configured host names, in their zones where these are configured. */
function recordPlace({ api, searchGateway }: Configuration, names: Names): Place {
  const dns = searchGateway?.domainNameSystem;
  const other = api.recommendation_domain_name;
  const hosts = [
    ...(dns ? [{ host: `${dns.sub_domain_name}.${dns.domain_name}`, zone: dns.hosted_zone_id ?? "*" }] : []),
    ...(other?.hosted_zone_id ? [{ host: other.host_name, zone: other.hosted_zone_id }] : []),
  ];
  return {
    resources: hosts.map(({ zone }) => `arn:${names.partition()}:route53:::hostedzone/${zone}`),
    conditions: {
      "ForAllValues:StringEquals": {
        "route53:ChangeResourceRecordSetsNormalizedRecordNames": hosts.map(({ host }) => host.toLowerCase()),
        "route53:ChangeResourceRecordSetsRecordTypes": "A",
      },
    },
  };
}
