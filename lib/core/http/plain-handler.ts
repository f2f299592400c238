import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import { type Call, callOf, type ProxyEvent, type ProxyHandler, type Reply } from "./event.ts";
import { type ApiOptions, errorShape, responses } from "./middleware.ts";

/** Returns the handler of an endpoint that reads no body, with the error shape and headers of all endpoints. */
export function plainHandler(api: ApiOptions, handle: (event: ProxyEvent, call: Call) => Promise<Reply>): ProxyHandler {
  return middy({ timeoutEarlyInMillis: 0 })
    .use(responses(api))
    .use(httpErrorHandler({ logger: false }))
    .use(errorShape(api))
    .handler(async (event: unknown, context) =>
      handle(event as ProxyEvent, callOf(event as ProxyEvent, context, api.access.callerOf(event as ProxyEvent))),
    ) as unknown as ProxyHandler;
}
