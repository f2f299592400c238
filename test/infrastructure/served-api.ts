import { dirname, join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { routes as routerRoutes } from "../../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../../functions/search-events/routes.ts";
import type { ProxyHandler } from "../../lib/core/http/event.ts";
import type { Method, Route } from "../../lib/core/http/route.ts";
import { loadBundle } from "../../local/api/load-bundle.ts";
import { type RunningApi, startApi } from "../../local/api/start.ts";
import {
  type DeployedApi,
  type DeployedFunction,
  type DeployedMethod,
  readDeployedApi,
} from "../../local/cloud/deployed-api.ts";
import type { Cloud } from "../../local/cloud/front.ts";
import { roleVariables } from "../../local/cloud/permissions.ts";
import { clientOptions } from "../fixtures/cloud.ts";

export interface ServedApi extends RunningApi {
  api: DeployedApi;
}

export interface ServeOptions {
  cloud: Cloud;
  /** Name of the API. */
  name: string;
  /** Address of the cluster to use instead of the domain, whose name does not resolve. */
  cluster: string;
}

/**
 * Reads an API back from the cloud and serves it, with its resources, keys and permissions. The function of `/` runs
 * here, from its archive and with its environment, because it needs a cluster. The others run in the cloud with their
 * roles.
 */
export async function serveDeployedApi({ cloud, name, cluster }: ServeOptions): Promise<ServedApi> {
  const api = await readDeployedApi(cloud, name, "v1");
  const lambda = new LambdaClient(clientOptions(cloud));
  await unpack(lambda, api.function);
  // The function's SDK clients read these variables when they are created.
  Object.assign(process.env, cloud.env);
  const { codeSha256, environment } = api.function;
  const { handler } = await loadBundle({
    file: join(dirname(cloud.logFile), "functions", codeSha256, "index.mjs"),
    env: {
      ...cloud.env,
      ...(await roleVariables(cloud.endpoint, {
        role: api.function.role,
        functionArn: `arn:aws:lambda:${cloud.region}:${cloud.accountId}:function:${api.function.name}`,
      })),
      ...environment,
      OPENSEARCH_NODE: cluster,
    },
  });
  const handlers = new Map<string | undefined, ProxyHandler>([
    ...api.functions.map((deployed) => [deployed.name, invoking(lambda, deployed)] as const),
    [api.function.name, handler],
  ]);
  const running = await startApi({
    services: [
      {
        basePath: api.stage,
        routes: asRoutes(api.methods),
        keys: api.keys,
        usage: api.throttle,
        options: (resource) => methodOf(api.methods, resource, "OPTIONS")?.mock,
        async handler(event, context) {
          const method = methodOf(api.methods, event.resource, event.httpMethod);
          if (!method) return { statusCode: 403, headers: {}, body: `API Gateway has no method for ${event.resource}` };
          if (!method.permitted) return { statusCode: 500, headers: {}, body: "API Gateway may not call the function" };
          const answering = handlers.get(method.functionName);
          return answering ? answering(event, context) : { statusCode: 500, headers: {}, body: "no function answers" };
        },
      },
    ],
  });
  return { ...running, url: `${running.url}/${api.stage}`, api };
}

/** Invokes a function, so that the local cloud unpacks its archive. This also shows that the function runs there. */
async function unpack(lambda: LambdaClient, deployed: DeployedFunction): Promise<void> {
  const event = { resource: "/", path: "/", httpMethod: "GET", headers: {}, requestContext: { requestId: "1" } };
  const text = await invoked(lambda, deployed, event);
  if (!text.includes("not_found")) throw new Error(`${deployed.name} answers ${text}`);
}

/** Returns a handler that invokes a function in the cloud for every request, with the permissions of its role. */
export function invoking(lambda: LambdaClient, deployed: DeployedFunction): ProxyHandler {
  return async (event) => JSON.parse(await invoked(lambda, deployed, event));
}

async function invoked(lambda: LambdaClient, { name, qualifier }: DeployedFunction, event: object): Promise<string> {
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName: name, Qualifier: qualifier, Payload: JSON.stringify(event) }),
  );
  const text = Buffer.from(answer.Payload ?? []).toString();
  if (answer.FunctionError) throw new Error(`${name} failed: ${text}`);
  return text;
}

const ALL: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

function asRoutes(methods: readonly DeployedMethod[]): Route[] {
  const paths = [...new Set(methods.map(({ resource }) => resource))];
  return paths.map((path) => ({ path, methods: ALL, family: "", access: [], summary: "", description: "" }));
}

function methodOf(methods: readonly DeployedMethod[], resource: string, method: string): DeployedMethod | undefined {
  const ofResource = methods.filter((one) => one.resource === resource);
  return ofResource.find((one) => one.method === method) ?? ofResource.find((one) => one.method === "ANY");
}

/**
 * Returns what an API with keys lacks: a resource for each route, permissions, a key, and OPTIONS without function and
 * key.
 */
export function problemsOf({ methods, keys }: DeployedApi): string[] {
  const paths = [...new Set(["/", "/{proxy+}", ...[...routerRoutes, ...eventRoutes].map(({ path }) => path)])];
  const missing = paths.filter((path) => !methodOf(methods, path, "ANY")).map((path) => `${path} is missing`);
  const open = methods
    .filter(({ keyRequired, authorization, mock }) => keyRequired === (mock !== undefined) || authorization !== "NONE")
    .map(({ method, resource }) => `${method} ${resource} has the wrong authorization`);
  const forbidden = methods.filter(({ permitted }) => !permitted).map(({ resource }) => `${resource} may not call`);
  return [...missing, ...open, ...forbidden, ...(keys.length === 0 ? ["no key is valid"] : [])];
}
