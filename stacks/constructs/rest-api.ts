import { ApiGatewayBasePathMapping } from "#aws/api-gateway-base-path-mapping";
import { ApiGatewayDeployment } from "#aws/api-gateway-deployment";
import { ApiGatewayDomainName } from "#aws/api-gateway-domain-name";
import { ApiGatewayMethodSettings } from "#aws/api-gateway-method-settings";
import { ApiGatewayRestApi } from "#aws/api-gateway-rest-api";
import { ApiGatewayRestApiPolicy } from "#aws/api-gateway-rest-api-policy";
import { ApiGatewayStage } from "#aws/api-gateway-stage";
import { LambdaPermission } from "#aws/lambda-permission";
import { Route53Record } from "#aws/route53-record";
import { Wafv2WebAclAssociation } from "#aws/wafv2-web-acl-association";
import { aliasArn } from "../../lib/infrastructure/functions.ts";
import type { Route } from "../../lib/platform/http/route.ts";
import { API_STAGE, type FunctionName, type Service } from "../../lib/platform/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { apiBody, apiFingerprint } from "./api-body.ts";
import { type DeployedApi, type ServiceKey, usagePlans } from "./api-keys.ts";
import { methodAuthorization, resourcePolicy } from "./authorization.ts";
import type { DeployedFunction } from "./function.ts";

/** A function of an API and the routes that it serves. */
interface ApiPart {
  routes: readonly Route[];
  functionName: FunctionName;
  deployed: DeployedFunction;
}

interface RestApiOptions {
  service: Service;
  /** Functions and their routes. The first also answers every path without a route. */
  parts: readonly [ApiPart, ...ApiPart[]];
  logKeyArn: string;
  /** Host name of its own. */
  host?: HostName | undefined;
  keys: readonly ServiceKey[];
}

/**
 * Adds a REST API from a route table: deployment, stage `v1`, host name, a usage plan for each key, logs. Its URLs and its
 * id are outputs of the stack.
 */
export function restApi(stack: ProjectStack, options: RestApiOptions): void {
  const { names, input } = stack;
  const { service, parts, logKeyArn, host } = options;
  const routes = parts.flatMap((part) => part.routes);
  const { region } = input.discovery;
  const { private_api, waf_web_acl_arn, default_throttle, execute_api_url } = input.config.api;
  const { schemes, needs } = methodAuthorization(stack, service);
  const body = apiBody({
    title: names.api(service),
    routes,
    invocationUri: (path) => {
      const { functionName } = parts.find((part) => part.routes.some((route) => route.path === path)) ?? parts[0];
      return (
        `arn:${names.partition()}:apigateway:${region}:lambda:path/2015-03-31/functions/` +
        `${aliasArn(stack.names, functionName)}/invocations`
      );
    },
    schemes,
    api: input.config.api,
  });
  const reach = {
    endpointConfiguration: private_api
      ? { types: ["PRIVATE"], vpcEndpointIds: private_api.vpc_endpoint_ids }
      : { types: ["REGIONAL"] },
    // Always written: left out, the provider keeps what it was.
    disableExecuteApiEndpoint: host !== undefined && !execute_api_url,
  };
  const api = new ApiGatewayRestApi(stack, "api", {
    name: names.api(service),
    // The body also sets the API key source and the binary media types.
    body: JSON.stringify(body),
    ...reach,
    ...(needs.length > 0 && { dependsOn: [...needs] }),
    lifecycle: { createBeforeDestroy: true },
  });
  const policy = new ApiGatewayRestApiPolicy(stack, "api-policy", {
    restApiId: api.id,
    policy: resourcePolicy(stack, body, api.executionArn),
  });
  const permissions = parts.map(
    ({ functionName, deployed }, index) =>
      new LambdaPermission(stack, index === 0 ? "api-permission" : `api-permission-${functionName}`, {
        statementId: "ApiGateway",
        action: "lambda:InvokeFunction",
        functionName: deployed.function.functionName,
        qualifier: deployed.alias.name,
        principal: "apigateway.amazonaws.com",
        sourceArn: `${api.executionArn}/${API_STAGE}/*`,
      }),
  );
  const accessLog = stack.logGroup("access-log", names.accessLogGroup(service), logKeyArn);
  // API Gateway itself would create it without expiry.
  const executionLog = stack.logGroup("execution-log", `API-Gateway-Execution-Logs_${api.id}/${API_STAGE}`, logKeyArn);
  const deployment = new ApiGatewayDeployment(stack, "api-deployment", {
    restApiId: api.id,
    // A changed policy, endpoint type or execute-api URL takes effect with the next deployment.
    triggers: { api: apiFingerprint([body, resourcePolicy(stack, body), reach], routes) },
    lifecycle: { createBeforeDestroy: true },
    // API Gateway refuses to deploy a private API without a policy.
    dependsOn: [policy],
  });
  // checkov:skip=CKV_AWS_120 aws_api_gateway_stage.api-stage: answers belong to one user and change with each write
  // checkov:skip=CKV2_AWS_29 aws_api_gateway_stage.api-stage: callers are authorized and their rate is limited; a
  // firewall is up to the account
  // checkov:skip=CKV2_AWS_77 aws_api_gateway_stage.api-stage: the web ACL is the account's own, and no function runs
  // Java
  // checkov:skip=CKV2_AWS_51 aws_api_gateway_stage.api-stage: IAM authorizes the call of the function; no HTTP back end
  // could check a certificate
  const stage = new ApiGatewayStage(stack, "api-stage", {
    restApiId: api.id,
    deploymentId: deployment.id,
    stageName: API_STAGE,
    xrayTracingEnabled: true,
    accessLogSettings: { destinationArn: accessLog.arn, format: ACCESS_LOG_FORMAT },
    // The first request needs the functions and the permission to call them.
    dependsOn: [...permissions, ...parts.flatMap(({ deployed }) => deployed.ready), executionLog],
  });
  // checkov:skip=CKV_AWS_225 aws_api_gateway_method_settings.api-settings: answers belong to one user and change with
  // each write
  new ApiGatewayMethodSettings(stack, "api-settings", {
    restApiId: api.id,
    stageName: stage.stageName,
    methodPath: "*/*",
    // Data traces would log request bodies.
    settings: {
      metricsEnabled: true,
      loggingLevel: "ERROR",
      dataTraceEnabled: false,
      ...(default_throttle && {
        throttlingRateLimit: default_throttle.rate_limit,
        throttlingBurstLimit: default_throttle.burst_limit,
      }),
    },
  });
  if (waf_web_acl_arn !== undefined) {
    new Wafv2WebAclAssociation(stack, "api-firewall", { resourceArn: stage.arn, webAclArn: waf_web_acl_arn });
  }
  usagePlans(stack, service, options.keys, { api, stage });
  stack.output("api_url", host ? hostName(stack, { api, stage }, host) : stage.invokeUrl);
  stack.output("api_id", api.id);
  stack.output("execute_api_url", stage.invokeUrl);
}

/** The path has no query string. Leaves out values that a caller controls and that could break the JSON. */
const ACCESS_LOG_FORMAT = JSON.stringify({
  request_id: "$context.requestId",
  time: "$context.requestTimeEpoch",
  method: "$context.httpMethod",
  path: "$context.path",
  resource: "$context.resourcePath",
  status: "$context.status",
  response_bytes: "$context.responseLength",
  milliseconds: "$context.responseLatency",
  function_milliseconds: "$context.integrationLatency",
  function_status: "$context.integration.status",
  error: "$context.error.responseType",
  api_key_id: "$context.identity.apiKeyId",
  user_arn: "$context.identity.userArn",
  source_ip: "$context.identity.sourceIp",
  trace_id: "$context.xrayTraceId",
});

/** A host name of the user's. */
export interface HostName {
  host: string;
  certificateArn: string;
  /** Zone of the DNS record; without it the user creates the record. */
  hostedZoneId?: string | undefined;
}

/** Adds an API's own host name, with its DNS record if a zone is given, and returns the API's URL. */
function hostName(stack: ProjectStack, { api, stage }: DeployedApi, options: HostName): string {
  const { host, certificateArn, hostedZoneId } = options;
  const domain = new ApiGatewayDomainName(stack, "domain-name", {
    domainName: host,
    regionalCertificateArn: certificateArn,
    securityPolicy: "TLS_1_2",
    endpointConfiguration: { types: ["REGIONAL"] },
  });
  new ApiGatewayBasePathMapping(stack, "base-path", {
    apiId: api.id,
    stageName: stage.stageName,
    domainName: domain.domainName,
  });
  if (hostedZoneId !== undefined) {
    new Route53Record(stack, "dns-record", {
      zoneId: hostedZoneId,
      name: host,
      type: "A",
      alias: { name: domain.regionalDomainName, zoneId: domain.regionalZoneId, evaluateTargetHealth: false },
    });
  }
  // The target for a DNS record that the user creates.
  stack.output("domain_name_target", domain.regionalDomainName);
  return `https://${host}`;
}
