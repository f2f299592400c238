import { InvokeCommand, type LambdaClient } from "@aws-sdk/client-lambda";
import type { ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import { METHODS, type Route } from "@relevance/lib/platform/http/route.ts";
import type { DeployedApi, DeployedFunction, DeployedMethod } from "../cloud/deployed-api.ts";
import type { ApiService } from "./service.ts";

/**
 * Returns the service for a deployed API, with its resources, keys and permissions. `handlerOf` returns the handler of
 * a function.
 */
export function deployedService(
  api: DeployedApi,
  handlerOf: (deployed: DeployedFunction) => ProxyHandler,
): ApiService & { basePath: string } {
  const handlers = new Map<string | undefined, ProxyHandler>(
    api.functions.map((deployed) => [deployed.name, handlerOf(deployed)] as const),
  );
  return {
    basePath: api.stage,
    routes: asRoutes(api.methods),
    keys: api.callers,
    options: (resource) => methodOf(api.methods, resource, "OPTIONS")?.mock,
    async handler(event, context) {
      const method = methodOf(api.methods, event.resource, event.httpMethod);
      if (!method) return { statusCode: 403, headers: {}, body: `API Gateway has no method for ${event.resource}` };
      if (!method.permitted) return { statusCode: 500, headers: {}, body: "API Gateway may not call the function" };
      const answering = handlers.get(method.functionName);
      return answering ? answering(event, context) : { statusCode: 500, headers: {}, body: "no function answers" };
    },
  };
}

/** Returns a handler that invokes a function in the cloud for every request, with the permissions of its role. */
export function invoking(lambda: LambdaClient, deployed: DeployedFunction): ProxyHandler {
  return async (event) => JSON.parse(await invoked(lambda, deployed, event));
}

/** Invokes a function with an event. Returns its answer as JSON; throws Error if the function fails. */
export async function invoked(
  lambda: LambdaClient,
  { name, qualifier }: DeployedFunction,
  event: object,
): Promise<string> {
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName: name, Qualifier: qualifier, Payload: JSON.stringify(event) }),
  );
  const text = Buffer.from(answer.Payload ?? []).toString();
  if (answer.FunctionError) throw new Error(`${name} failed: ${text}`);
  return text;
}

function asRoutes(methods: readonly DeployedMethod[]): Route[] {
  const paths = [...new Set(methods.map(({ resource }) => resource))];
  return paths.map((path) => ({ path, methods: METHODS, family: "", access: [], summary: "", description: "" }));
}

/** Returns the method definition for a request, which may be that of `ANY`. */
export function methodOf(
  methods: readonly DeployedMethod[],
  resource: string,
  method: string,
): DeployedMethod | undefined {
  const ofResource = methods.filter((one) => one.resource === resource);
  return ofResource.find((one) => one.method === method) ?? ofResource.find((one) => one.method === "ANY");
}
