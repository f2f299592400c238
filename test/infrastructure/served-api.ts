import { dirname, join } from "node:path";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { routes as routerRoutes } from "../../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../../functions/search-events/routes.ts";
import { deployedService, invoked, invoking, methodOf } from "../../packages/local-aws/api/deployed-service.ts";
import { loadBundle } from "../../packages/local-aws/api/load-bundle.ts";
import { type RunningApi, startApi } from "../../packages/local-aws/api/start.ts";
import {
  type DeployedApi,
  type DeployedFunction,
  readDeployedApi,
} from "../../packages/local-aws/cloud/deployed-api.ts";
import type { Cloud } from "../../packages/local-aws/cloud/front.ts";
import { roleVariables } from "../../packages/local-aws/cloud/permissions.ts";
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
  const handlerOf = (deployed: DeployedFunction) =>
    deployed.name === api.function.name ? handler : invoking(lambda, deployed);
  const running = await startApi({ services: [deployedService(api, handlerOf)] });
  return { ...running, url: `${running.url}/${api.stage}`, api };
}

/** Invokes a function, so that the local cloud unpacks its archive. This also shows that the function runs there. */
async function unpack(lambda: LambdaClient, deployed: DeployedFunction): Promise<void> {
  const event = { resource: "/", path: "/", httpMethod: "GET", headers: {}, requestContext: { requestId: "1" } };
  const text = await invoked(lambda, deployed, event);
  if (!text.includes("not_found")) throw new Error(`${deployed.name} answers ${text}`);
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
