/** Where a request to AWS is meant to go, read from its signature. */
export interface Destination {
  /** Our name of the service, see `StandIn.services`. */
  service: string;
  region: string;
}

/** What of an HTTP request says where it goes. */
export interface RoutedRequest {
  /** Path and query as they were sent. */
  url: string;
  authorization: string | undefined;
}

/** One signature covers a control plane and a runtime: the paths of the runtime, by the name that the signature has. */
const RUNTIMES: Readonly<Record<string, { path: RegExp; service: string }>> = {
  sagemaker: {
    path: /^\/endpoints\/[^/]+\/(invocations|async-invocations|invocations-response-stream)$/,
    service: "sagemaker-runtime",
  },
  bedrock: { path: /^\/(model|guardrail|async-invoke)(\/|$)/, service: "bedrock-runtime" },
};

/**
 * The service and region that a request was signed for, in its header or (presigned) in its query; undefined when it
 * carries no signature of version 4.
 */
export function destinationOf({ url, authorization }: RoutedRequest): Destination | undefined {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const credential = /^AWS4-HMAC-SHA256 Credential=([^,\s]+)/.exec(authorization ?? "")?.[1];
  const scope = (credential ?? searchParams.get("X-Amz-Credential") ?? "").split("/");
  // <access key>/<date>/<region>/<service>/aws4_request, and an access key may hold a slash.
  const [region, service, end] = scope.slice(-3);
  if (scope.length < 5 || end !== "aws4_request" || !region || !service) return undefined;
  const runtime = RUNTIMES[service];
  return { service: runtime?.path.test(pathname) ? runtime.service : service, region };
}
