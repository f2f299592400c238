import type { ITerraformDependable } from "#cdktf";
import { iamPrincipal } from "../../lib/core/http/access.ts";
import type { Service } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";

/** How an API authorizes its callers. */
export interface MethodAuthorization {
  /** The only security scheme of the OpenAPI document by its name, with API Gateway's extensions. */
  schemes: Readonly<Record<string, object>>;
  /** What must exist before the first request. */
  needs: readonly ITerraformDependable[];
}

/** Returns the `authorization` of api.yaml for an API. For a function of the user's, adds the role that calls it. */
export function methodAuthorization(stack: ProjectStack, service: Service): MethodAuthorization {
  const { authorization, lambda_authorizer } = stack.input.config.api;
  const inHeader = { type: "apiKey", in: "header" };
  if (lambda_authorizer === undefined) {
    return {
      schemes:
        authorization === "iam"
          ? { sigv4: { ...inHeader, name: "Authorization", "x-amazon-apigateway-authtype": "awsSigv4" } }
          : { api_key: { ...inHeader, name: "x-api-key" } },
      needs: [],
    };
  }
  const { function_arn, identity_headers, cache_seconds } = lambda_authorizer;
  const name = stack.names.role(`${service}-authorizer`);
  const role = serviceRole(stack, "authorizer-role", {
    name,
    description: `API Gateway calls the authorizer of ${stack.names.api(service)}`,
    service: "apigateway.amazonaws.com",
  });
  const policy = rolePolicy(stack, "authorizer-policy", role, [
    { sid: "CallAuthorizer", actions: ["lambda:InvokeFunction"], resources: [function_arn] },
  ]);
  const authorizer = {
    type: "request",
    authorizerUri:
      `arn:${stack.names.partition()}:apigateway:${stack.input.discovery.region}:lambda:` +
      `path/2015-03-31/functions/${function_arn}/invocations`,
    authorizerCredentials: stack.names.roleArn(name),
    identitySource: identity_headers.map((header) => `method.request.header.${header}`).join(", "),
    authorizerResultTtlInSeconds: cache_seconds,
  };
  return {
    schemes: {
      authorizer: {
        ...inHeader,
        // Required by the format; the identity source is what counts.
        name: "Unused",
        "x-amazon-apigateway-authtype": "custom",
        "x-amazon-apigateway-authorizer": authorizer,
      },
    },
    needs: [role, policy],
  };
}

/**
 * Returns the resource policy of an API, if it needs one. A private API accepts only calls through its endpoints. With IAM,
 * callers of other accounts need the API's consent besides that of their own account. Accounts are named as a whole, and
 * never everyone, so that a caller needs a permission of its own account as well.
 */
export function resourcePolicy(stack: ProjectStack): string | undefined {
  const { private_api, authorization } = stack.input.config.api;
  const accounts = authorization === "iam" ? accountsOf(stack) : [];
  const call = { Action: "execute-api:Invoke", Resource: "execute-api:/*" };
  const Principal =
    authorization === "iam" ? { AWS: accounts.map((id) => `arn:${stack.names.partition()}:iam::${id}:root`) } : "*";
  const callers = { Sid: "Callers", Effect: "Allow", Principal, ...call };
  const statement = (Statement: object[]) => JSON.stringify({ Version: "2012-10-17", Statement });
  if (private_api === undefined) return accounts.length > 1 ? statement([callers]) : undefined;
  const Condition = { StringNotEquals: { "aws:SourceVpce": private_api.vpc_endpoint_ids } };
  return statement([callers, { Sid: "OtherWays", Effect: "Deny", Principal: "*", ...call, Condition }]);
}

/** Returns the project's account and those of the principals, each once. */
function accountsOf({ input }: ProjectStack): string[] {
  const principals = (input.config.api.keys ?? []).flatMap((key) => key.principals ?? []);
  const others = principals.flatMap((arn) => iamPrincipal(arn)?.match(/\d{12}$/)?.[0] ?? []);
  return [...new Set([input.discovery.account, ...others])];
}
