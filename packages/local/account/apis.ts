import { LambdaClient } from "@aws-sdk/client-lambda";
import type { ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import { API_STAGE } from "@relevance/lib/platform/naming/names.ts";
import { deployedService, invoking } from "@relevance/local-aws/api/deployed-service.ts";
import { type MountedService, mount } from "@relevance/local-aws/api/service.ts";
import { rootOptions } from "@relevance/local-aws/cloud/account.ts";
import { readDeployedApi } from "@relevance/local-aws/cloud/deployed-api.ts";
import type { AfterCall } from "@relevance/local-aws/cloud/router.ts";

/** Serves deployed APIs like API Gateway, each in its state at the time of a request. */
export interface Apis {
  /** Returns the API at a path, `/<id>.<region>/<stage>/…`. */
  servicesAt(path: string): Promise<MountedService[]>;
  /** Invalidates cached APIs after calls that may change a deployed API. */
  afterCall: AfterCall;
}

/** The services whose calls can change a deployed API. */
const DECIDING = new Set(["apigateway", "lambda"]);

/**
 * Creates the server of APIs of the cloud at `endpoint`. `guard` wraps each API's handler. An API is read again after
 * each change.
 */
export function createApis(endpoint: Promise<string>, guard: (handler: ProxyHandler) => ProxyHandler): Apis {
  const known = new Map<string, Promise<MountedService>>();
  const read = async (id: string, region: string): Promise<MountedService> => {
    const source = { endpoint: await endpoint, region };
    const lambda = new LambdaClient({ ...rootOptions(source), maxAttempts: 1 });
    const api = await readDeployedApi(source, id, API_STAGE);
    const service = deployedService(api, (deployed) => invoking(lambda, deployed));
    return mount({ ...service, handler: guard(service.handler), basePath: `${id}.${region}/${API_STAGE}` });
  };
  return {
    async servicesAt(path) {
      const [, name = "", id, region] = /^\/(([a-z0-9]+)\.([a-z0-9-]+))\//.exec(path) ?? [];
      if (id === undefined || region === undefined) return [];
      const found = known.get(name) ?? read(id, region);
      known.set(name, found);
      try {
        return [await found];
      } catch (error) {
        // The next request tries again.
        if (known.get(name) === found) known.delete(name);
        throw error;
      }
    },
    async afterCall({ service, method, path }) {
      if (method === "GET" || !DECIDING.has(service) || path.includes("/invocations")) return;
      known.clear();
    },
  };
}
