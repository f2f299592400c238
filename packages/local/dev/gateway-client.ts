import { LocalError } from "@relevance/processes/error.ts";

/** One response of the gateway. The body is parsed if it is JSON, and text otherwise. */
export interface GatewayAnswer {
  status: number;
  body: unknown;
}

/** Calls the gateway as a user would. The body is sent as JSON. */
export type GatewayClient = (method: string, path: string, body?: unknown) => Promise<GatewayAnswer>;

/** Creates a client of the gateway at `url`. */
export function gatewayClient(url: string, apiKey: string): GatewayClient {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": apiKey, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") && text !== "";
    return { status: answer.status, body: isJson ? JSON.parse(text) : text };
  };
}

/** Returns the body of a successful response. Otherwise throws LocalError with the action and the response. */
export function succeeded<Body>(what: string, { status, body }: GatewayAnswer): Body {
  if (status >= 200 && status < 300) return body as Body;
  throw new LocalError(`${what} failed: the gateway answered ${status} ${JSON.stringify(body).slice(0, 1_000)}`);
}
