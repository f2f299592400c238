import { createHash } from "node:crypto";
import type { ITerraformDependable } from "#cdktf";
import { iamPrincipal } from "../../lib/platform/http/access.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";

/** How an API authorizes its callers. */
export interface MethodAuthorization {
  /** The only security scheme of the OpenAPI document by its name, with API Gateway's extensions. */
  schemes: Readonly<Record<string, object>>;
  /** Resources that must exist before the first request. */
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
 * Returns the resource policy of an API with this body; `arn` is its execution ARN. A private API accepts only calls through its endpoints.
 * With IAM, callers of other accounts need the API's consent besides that of their own account. Accounts are named as a
 * whole, and never everyone, so that a caller needs a permission of its own account as well. Every API has one: see
 * docs/decisions/0053-the-apis-policy.md.
 */
export function resourcePolicy(stack: ProjectStack, body: object, arn = ""): string {
  const { private_api, authorization, cors } = stack.input.config.api;
  // The short form `execute-api:/*` is stored as the full ARN, so every plan would show a change.
  const call = { Action: "execute-api:Invoke", Resource: `${arn}/*` };
  const iam = authorization === "iam";
  const root = (id: string) => `arn:${stack.names.partition()}:iam::${id}:root`;
  // A changed body changes the policy, too, so that Terraform writes it after the import, which removes it.
  const imported = createHash("sha256").update(JSON.stringify(body)).digest("hex").slice(0, 12);
  const Statement = [
    {
      Sid: `Callers${imported}`,
      Effect: "Allow",
      Principal: iam ? { AWS: accountsOf(stack).map(root) } : "*",
      ...call,
    },
    // Browsers do not sign OPTIONS.
    ...(iam && cors
      ? [{ ...call, Sid: "Preflight", Effect: "Allow", Principal: "*", Resource: `${arn}/*/OPTIONS/*` }]
      : []),
    ...(private_api
      ? [
          {
            ...{ Sid: "OtherWays", Effect: "Deny", Principal: "*", ...call },
            Condition: { StringNotEquals: { "aws:SourceVpce": private_api.vpc_endpoint_ids } },
          },
        ]
      : []),
  ];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

/** Returns the project's account and those of the principals, each once. */
function accountsOf({ input }: ProjectStack): string[] {
  const principals = (input.config.api.keys ?? []).flatMap((key) => key.principals ?? []);
  const others = principals.flatMap((arn) => iamPrincipal(arn)?.match(/\d{12}$/)?.[0] ?? []);
  return [...new Set([input.discovery.account, ...others])];
}
